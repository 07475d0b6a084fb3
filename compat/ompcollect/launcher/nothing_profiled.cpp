// SPDX-License-Identifier: Apache-2.0
//
// What is certain comes first: what processes left, then what the files of the command's programs
// and of LD_PRELOAD are.
#include "nothing_profiled.h"

#include "people.h"

#include "elf_file.h"
#include "needed_libraries.h"
#include "program_file.h"
#include "status_file.h"
#include "wrapped_command.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ompcollect {
namespace {

bool changes_user(const std::string &program) {
    struct stat status;
    return stat(program.c_str(), &status) == 0 &&
           (((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) ||
            ((status.st_mode & S_ISGID) != 0 && status.st_gid != getgid()));
}

// A tool that the runtime finds before ours. Runtimes define the function too, for themselves.
bool brings_a_tool(const std::string &file_name) {
    const ElfFile file(file_name);
    bool has_tool = false;
    bool is_runtime = false;
    if (file.is_elf()) {
        file.for_each_symbol(ElfFile::Symbols::kDynamic, [&](const char *name, bool defined) {
            has_tool = has_tool || (defined && strcmp(name, "ompt_start_tool") == 0);
            is_runtime = is_runtime || (defined && (strcmp(name, "__kmpc_fork_call") == 0 ||
                                                    strcmp(name, "GOMP_parallel") == 0));
        });
    }
    return has_tool && !is_runtime;
}

// The file, or one of the libraries that it needs. Empty: none.
std::string file_with_tool(const std::string &program) {
    if (brings_a_tool(program)) {
        return program;
    }
    for (const NeededLibrary &library : needed_libraries(program)) {
        if (brings_a_tool(library.path)) {
            return library.path;
        }
    }
    return {};
}

// Of what stands in LD_PRELOAD, and so before ours. Empty: none.
std::string preloaded_tool() {
    const char *value = getenv("LD_PRELOAD");
    std::string list = value ? value : "";
    std::replace(list.begin(), list.end(), ':', ' ');
    std::istringstream words(list);
    for (std::string file; words >> file;) {
        if (brings_a_tool(file)) {
            return file;
        }
    }
    return {};
}

bool tools_are_disabled() {
    const char *value = getenv("OMP_TOOL");
    return value && strcasecmp(value, "disabled") == 0;
}

// Empty where there is nothing to say of the file.
std::string fact_of_file(const std::string &program, bool is_static) {
    if (is_static) {
        return program + " is statically linked" +
               (contains_runtime(program) ? ", its OpenMP runtime included" : "") +
               ", so nothing can be preloaded into it; link it dynamically, or link the bridge "
               "into it";
    }
    if (contains_runtime(program) && !contains_place_for_tool(program)) {
        return program + " has its OpenMP runtime linked into itself, where it cannot be observed; "
                         "link it with the runtime's shared library";
    }
    if (const std::string file = file_with_tool(program); !file.empty()) {
        return file + " has an OMPT tool of its own (ompt_start_tool), which takes the runtime's "
                      "only place; run the program without that tool";
    }
    if (changes_user(program)) {
        return program + " changes its user or group (setuid), so ld.so preloads nothing into it; "
                         "run a copy without these mode bits";
    }
    return {};
}

// A profile that could not be begun (status_file.h). Empty: the file is none.
std::string fact_of_failure(const std::filesystem::path &file) {
    const std::string name = file.filename();
    const size_t suffix = name.find(kFailedSuffix);
    if (suffix == std::string::npos) {
        return {};
    }
    const int error = atoi(name.c_str() + suffix + strlen(kFailedSuffix));
    return "process " + name.substr(0, name.find('-')) + " could not begin its profile in " +
           file.parent_path().string() + " (" + strerror(error) + "); " +
           (error == EFBIG ? "raise the limit on the size of files: ulimit -f"
                           : "choose a folder with room: by TMPDIR, in a job by -o");
}

std::vector<std::string> facts_of_failures(const std::string &folder) {
    std::vector<std::string> facts;
    std::error_code ignored;
    for (const auto &entry : std::filesystem::directory_iterator(folder, ignored)) {
        if (std::string fact = fact_of_failure(entry.path()); !fact.empty()) {
            facts.push_back(std::move(fact));
        }
    }
    std::sort(facts.begin(), facts.end());
    return facts;
}

// What a process has left (status_file.h).
struct Asked {
    std::string pid;
    std::string word;
    std::string runtime;
};

std::vector<Asked> read_notes(const std::string &folder) {
    std::vector<Asked> notes;
    std::error_code ignored;
    for (const auto &entry : std::filesystem::directory_iterator(folder, ignored)) {
        if (entry.path().extension() != kAskedSuffix) {
            continue;
        }
        std::ifstream in(entry.path());
        Asked note = {entry.path().stem(), {}, {}};
        if (in >> note.word && in.get() == ' ' && std::getline(in, note.runtime)) {
            notes.push_back(note);
        }
    }
    return notes;
}

// Who has asked may be a tool that stands in front and asks on the runtime's behalf.
std::string where_it_runs(const Asked &note) {
    const std::string place = "process " + note.pid + " runs on ";
    return brings_a_tool(note.runtime)
               ? place + "a runtime whose tool is the one in " + note.runtime
               : place + note.runtime;
}

// One that was refused tells most.
std::string fact_of_processes(const std::string &folder) {
    if (const std::vector<std::string> failures = facts_of_failures(folder); !failures.empty()) {
        return failures.front();
    }
    const std::vector<Asked> notes = read_notes(folder);
    for (const Asked &note : notes) {
        if (note.word == kAskedRefused) {
            return where_it_runs(note) +
                   ", where the bridge was refused; its line above names the cause";
        }
        if (note.word == kAskedNoSession) {
            return where_it_runs(note) +
                   ", but ompcollect's collector got no session, whose line above names the cause";
        }
    }
    if (notes.empty()) {
        return {};
    }
    return "process " + notes[0].pid + " loaded " + notes[0].runtime +
           ", but ompcollect's collector got no event of a parallel region: the process forked "
           "none, or a line of the bridge above names the cause";
}

} // namespace

std::string profiles_that_failed(const std::string &folder) {
    std::string lines;
    for (const std::string &fact : facts_of_failures(folder)) {
        lines += "ompcollect: " + report::printable(fact) + "\n";
    }
    return lines;
}

std::string why_nothing_is_collected(const std::string &program,
                                     const std::vector<std::string> &command) {
    if (tools_are_disabled()) {
        return "OMP_TOOL=disabled is set, so no OpenMP runtime takes a tool; unset OMP_TOOL";
    }
    if (const std::string file = preloaded_tool(); !file.empty()) {
        return file +
               " in LD_PRELOAD has an OMPT tool (ompt_start_tool), which takes the runtime's "
               "only place; take it out of LD_PRELOAD";
    }
    const CommandContents contents = contents_of(program, command);
    if (!contents.foreign_programs.empty()) {
        return contents.foreign_programs.front() + kForeignProgram +
               "; build the bridge for that machine, if it has 64 bits";
    }
    for (const std::string &file : contents.static_programs) {
        std::string fact = fact_of_file(file, true);
        if (!fact.empty()) {
            return fact;
        }
    }
    for (const std::string &file : contents.programs) {
        std::error_code ignored;
        if (std::filesystem::equivalent(file, "/proc/self/exe", ignored)) {
            return file + " is ompcollect itself, and the run is its own; leave one of the two out";
        }
        std::string fact = fact_of_file(file, false);
        if (!fact.empty()) {
            return fact;
        }
    }
    return {};
}

std::string why_nothing_was_profiled(const PreloadPlan &plan, const std::string &program,
                                     const std::vector<std::string> &command,
                                     const std::string &folder) {
    std::error_code error;
    if (std::filesystem::directory_iterator(folder, error); error) {
        return "what processes have left in " + folder + " cannot be listed (" + error.message() +
               ")";
    }
    if (std::string fact = fact_of_processes(folder); !fact.empty()) {
        return fact;
    }
    if (std::string fact = why_nothing_is_collected(program, command); !fact.empty()) {
        return fact;
    }
    if (plan.built_by_gcc && plan.runtime.empty() && !plan.serves_libgomp) {
        return program + " runs on libgomp, which has no tools interface; --runtime libomp puts "
                         "libomp in its place";
    }
    if (plan.built_by_gcc) {
        return "no process has called an OpenMP construct of libgomp with the libraries of "
               "ompcollect in front; a cleaned environment (env -i, sudo) takes them away";
    }
    if (plan.needs_no_runtime && contents_of(program, command).programs.size() == 1) {
        return program + " needs no OpenMP runtime; if it has OpenMP pragmas, compile and link it "
                         "with -fopenmp; if it begins others in a place with a /tmp of its own, "
                         "set TMPDIR to a folder that is there, too";
    }
    return "no OpenMP runtime with a tools interface was used where a library can be preloaded; "
           "it cannot into static and setuid programs, and those that got a cleaned environment "
           "(env -i, sudo)";
}

} // namespace ompcollect
