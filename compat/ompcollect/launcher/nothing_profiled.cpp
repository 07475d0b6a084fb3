// SPDX-License-Identifier: Apache-2.0
//
// What is certain comes first: what processes left, then what the files of
// the command's programs are.
#include "nothing_profiled.h"

#include "elf_file.h"
#include "program_file.h"
#include "wrapped_command.h"

#include "omp_collector_api.h"

#include <cstdlib>
#include <cstring>
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

// A tool that the runtime finds before ours.
bool brings_a_tool(const std::string &program) {
    const ElfFile file(program);
    bool found = false;
    if (file.is_elf()) {
        file.for_each_symbol(ElfFile::Symbols::kDynamic, [&](const char *name, bool defined) {
            found = found || (defined && strcmp(name, "ompt_start_tool") == 0);
        });
    }
    return found;
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
    if (contains_runtime(program)) {
        return program + " has its OpenMP runtime linked into itself, where it cannot be observed; "
                         "link it with the runtime's shared library";
    }
    if (brings_a_tool(program)) {
        return program +
               " has an OMPT tool of its own (ompt_start_tool), which takes the runtime's "
               "only place; run it without that tool";
    }
    if (changes_user(program)) {
        return program + " changes its user or group (setuid), so ld.so preloads nothing into it; "
                         "run a copy without these mode bits";
    }
    return {};
}

std::string fact_of_process(const Profile &profile) {
    const std::string process = "process " + std::to_string(profile.pid);
    const std::string runtime = *profile.runtime_file ? profile.runtime_file : "";
    if (profile.start_code > OMP_ERRCODE_OK) {
        return process + (runtime.empty() ? "" : " runs on " + runtime + ", where") +
               " the request START was refused with " + error_name(profile.start_code) +
               "; the line of the bridge above says why, --runtime libomp may help a program built "
               "by gcc";
    }
    if (profile.start_code == OMP_ERRCODE_OK && !runtime.empty()) {
        return process + " loaded " + runtime + ", but forked no parallel region";
    }
    return {};
}

} // namespace

std::string why_nothing_was_profiled(const PreloadPlan &plan, const std::string &program,
                                     const std::vector<std::string> &command,
                                     const std::vector<std::unique_ptr<LoadedProfile>> &profiles) {
    for (const auto &loaded : profiles) {
        std::string fact = fact_of_process(loaded->profile);
        if (!fact.empty()) {
            return fact;
        }
    }
    if (tools_are_disabled()) {
        return "OMP_TOOL=disabled is set, so no OpenMP runtime takes a tool; unset OMP_TOOL";
    }
    const CommandContents contents = contents_of(program, command);
    for (const std::string &file : contents.static_programs) {
        std::string fact = fact_of_file(file, true);
        if (!fact.empty()) {
            return fact;
        }
    }
    for (const std::string &file : contents.programs) {
        std::string fact = fact_of_file(file, false);
        if (!fact.empty()) {
            return fact;
        }
    }
    if (plan.built_by_gcc && plan.runtime.empty() && plan.libgomp_ompt.empty()) {
        return program + " runs on libgomp, which has no tools interface; --runtime libomp puts "
                         "libomp in its place";
    }
    return "no OpenMP runtime with a tools interface was used where a library can be preloaded; "
           "it cannot into static and setuid programs, and those that got a cleaned environment "
           "(env -i, sudo)";
}

} // namespace ompcollect
