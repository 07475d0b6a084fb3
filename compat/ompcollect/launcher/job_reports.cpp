// SPDX-License-Identifier: Apache-2.0
#include "job_reports.h"

#include "command.h"
#include "elf_file.h"
#include "environment.h"
#include "failure.h"
#include "formats.h"
#include "job_command.h"
#include "job_merge.h"
#include "job_text.h"
#include "job_variables.h"
#include "live_reader.h"
#include "named_run.h"
#include "nothing_profiled.h"
#include "people.h"
#include "preparation.h"
#include "printable_run.h"
#include "private_directory.h"
#include "process_table.h"
#include "profile_file.h"
#include "source_lines.h"
#include "text_report.h"
#include "verdict.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace ompcollect {
namespace {

namespace fs = std::filesystem;

using report::Process;
using Processes = std::vector<Process>;

// What cannot be read is a line of its own in `complaints`.
Processes load_all(const std::string &folder, std::string &complaints) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto &entry : fs::directory_iterator(folder, ignored)) {
        const bool is_file = entry.symlink_status(ignored).type() == fs::file_type::regular;
        if (is_file && entry.path().extension() == kProfileSuffix) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    Processes processes;
    for (const fs::path &file : files) {
        try {
            processes.push_back(report::read_live_file(file));
        } catch (const std::runtime_error &why) {
            complaints +=
                "ompcollect: " +
                report::printable(file.filename().string() + " was not read: " + why.what()) + "\n";
        }
    }
    return processes;
}

bool lives(const Process &process) {
    return process.host == own_host() && process_begin(static_cast<pid_t>(process.pid)) != 0;
}

// Empty: the profile's own words are the best.
std::string how_it_ended(const Process &process, const ChildResult *child) {
    if (process.ending == Ending::kExec) {
        return {};
    }
    if (child && process.pid == child->pid) {
        return end_in_words(child->status);
    }
    if (process.ending == Ending::kNone) {
        return lives(process) ? "still running, so this is its profile so far"
                              : "killed, or left by _exit";
    }
    return {};
}

struct Printed {
    ReportOf process;
    std::string text;
};

report::TextStyle style_of(const Options &options, int terminal) {
    report::TextStyle style;
    style.width = report::line_width(terminal);
    style.take_options(options.top, options.all, report::parts_named(options.show));
    return style;
}

// What only the launcher knows.
struct RunNotes {
    const ChildResult *child = nullptr; // the job's first process, once it has ended
    std::string runtime;                // how it came to its runtime
};

// Empty where the file is not the one that ran: profiles may be read long after.
std::string build_id_of(const Process &process) {
    struct stat status;
    const bool is_as_it_ran =
        stat(process.program.c_str(), &status) == 0 && status.st_mtime <= process.begin;
    return is_as_it_ran ? ElfFile(process.program).build_id() : std::string();
}

// Of the processes that used OpenMP: a shell around the program has nothing to tell.
report::Run run_of(Processes processes, const RunNotes &notes, bool ask_servers) {
    SourceLines lines(ask_servers);
    report::Run run;
    for (Process &process : processes) {
        if (used_openmp(process)) {
            name_process(process, lines);
            process.how_it_ended = how_it_ended(process, notes.child);
            process.runtime_note = notes.runtime;
            process.build_id = build_id_of(process);
            run.processes.push_back(std::move(process));
        }
    }
    return run;
}

// As `ompcollect report` prints the same run.
std::vector<Printed> print_each(const report::Run &run, const report::TextStyle &style) {
    std::vector<Printed> texts;
    for (const report::Process &process : run.processes) {
        report::Run one = {{process}};
        report::make_printable(one.processes.front());
        std::ostringstream text;
        report::write_text(one, style, text);
        texts.push_back(
            {{process.pid, process.host, process.rank.empty() ? own_job_rank().rank : process.rank},
             text.str()});
    }
    return texts;
}

// A run in a folder of its own, which nobody of us takes away. Returns its name.
std::string keep(const report::Run &run) {
    std::string name = make_lasting_directory() + "/run" + report::kRunSuffix;
    report::save_run(run, name);
    return name;
}

// What launchers that were killed have left is not this program's: it is kept, and named in a line.
// A folder goes where none of its processes lives.
void recover(const std::vector<std::string> &abandoned, const Options &options) {
    for (const std::string &path : abandoned) {
        std::string complaints;
        Processes processes = load_all(path, complaints);
        if (std::any_of(processes.begin(), processes.end(), lives)) {
            // Still in use: it is renamed, and the next ompcollect recovers it.
            continue;
        }
        const PrivateDirectory directory(path); // removes it
        const report::Run run = run_of(std::move(processes), {}, options.debuginfod);
        if (!run.processes.empty()) {
            const report::Process &first = run.processes.front();
            report::complain("an ompcollect that was killed has left the profile of process " +
                             std::to_string(first.pid) + "; it is shown by: ompcollect report " +
                             shell_quoted(keep(run)));
        }
    }
}

} // namespace

// The tables of a run that is saved still go to stderr.
JobReports::JobReports(const Options &options, const PreloadPlan &plan, std::string program,
                       std::string folder, RunPlace &place)
    : options_(options), plan_(plan), program_(std::move(program)), folder_(std::move(folder)),
      place_(place), files_(place.saves() ? std::string() : options.output) {}

std::string JobReports::save(const report::Run &run) {
    try {
        return place_.save(run);
    } catch (const Failure &why) {
        if (place_.live_folder().empty()) {
            throw;
        }
        place_.keep_live_folder();
        throw Failure(std::string(why.what()) + "; what was measured stays in " +
                      place_.live_folder());
    }
}

// At the end nobody can run the program again for nothing: what cannot be saved as asked is kept.
std::string JobReports::save_or_keep(const report::Run &run) {
    try {
        return save(run);
    } catch (const Failure &why) {
        if (!place_.live_folder().empty()) {
            throw;
        }
        std::string name = keep(run);
        report::complain(why.what());
        return name;
    }
}

JobReports::~JobReports() {
    wait_for_printers();
}

void JobReports::wait_for_printers() {
    for (const pid_t printer : printers_) {
        waitpid(printer, nullptr, 0);
    }
    printers_.clear();
}

bool JobReports::begin_in_child(const std::function<void()> &print) {
    std::erase_if(printers_, [](pid_t printer) { return waitpid(printer, nullptr, WNOHANG) != 0; });
    if (!printers_.empty()) {
        return false;
    }
    const pid_t pid = fork();
    if (pid > 0) {
        printers_.push_back(pid);
    }
    if (pid != 0) {
        return pid > 0;
    }
    int code = 0;
    try {
        print();
    } catch (const std::exception &error) {
        report::complain(error.what());
        code = kExitLauncher;
    }
    _exit(code);
}

void JobReports::prepare() {
    std::optional<AwayFromProgram> away;
    if (!own_job_variables()) { // the other processors are those of other ranks
        away.emplace();
        take_memory_ahead();
        SourceLines::prepare();
    }
    const std::vector<std::string> abandoned = take_abandoned_directories();
    away.reset();
    if (!abandoned.empty()) {
        begin_in_child([&] { recover(abandoned, options_); });
    }
}

void JobReports::begin_print_so_far() {
    if (begin_in_child([this] { print_so_far(); })) {
        files_.keep_contents();
    }
}

void JobReports::print_so_far() {
    std::string complaints;
    const report::Run run = run_of(load_all(folder_, complaints), {}, options_.debuginfod);
    print(run);
    if (place_.saves() && !run.processes.empty()) {
        const std::string name = save(run);
        report::complain("the run so far is in " + name);
    }
    if (run.processes.empty()) {
        files_.write({getpid(), own_host(), {}},
                     "ompcollect: no OpenMP runtime of the job has asked for a tool so far\n");
    }
}

void JobReports::print_all(const ChildResult &child) {
    wait_for_printers();
    std::string complaints;
    Processes processes = load_all(folder_, complaints);
    std::stable_partition(processes.begin(), processes.end(),
                          [&](const Process &process) { return process.pid == child.pid; });
    report::tell(STDERR_FILENO, complaints);
    const bool is_replaced = plan_.built_by_gcc && !plan_.runtime.empty();
    const report::Run run =
        run_of(std::move(processes), {&child, is_replaced ? "in place of libgomp" : ""},
               options_.debuginfod);
    if (!run.processes.empty()) {
        report::tell(STDERR_FILENO, profiles_that_failed(folder_));
    }
    print(run);
    if (run.processes.empty()) {
        print_none(child, !complaints.empty());
    } else if (place_.saves()) {
        report_where(save_or_keep(run));
    }
}

// The report of a job is made of all its ranks, later.
void JobReports::print(const report::Run &run) {
    if (place_.saves() && place_.is_part_of_job()) {
        return;
    }
    const report::TextStyle style = style_of(options_, files_.terminal());
    if ((place_.saves() || !is_pattern(options_.output)) && report::is_job(run)) {
        const report::Process &first = run.processes.front();
        files_.write({first.pid, first.host, first.rank},
                     report::job_text(report::job_of_run(run), style));
        return;
    }
    for (const Printed &one : print_each(run, style)) {
        files_.write(one.process, one.text);
    }
}

void JobReports::print_none(const ChildResult &child, bool has_complained) {
    const std::string why =
        has_complained ? "what was collected was not read; the line above names the cause"
                       : why_nothing_was_profiled(plan_, program_, options_.command, folder_);
    if (!place_.record_why_none(why) || !place_.saves() || !place_.is_part_of_job() ||
        place_.own_rank().rank == "0") {
        files_.write({child.pid, own_host(), own_job_rank().rank},
                     "ompcollect: no profile (" + end_in_words(child.status) + "): " + why + "\n");
    }
}

// Of many launchers of a job one is enough.
void JobReports::report_where(const std::string &name) {
    const std::string page = name.substr(0, name.rfind('.')) + ".html";
    if (!place_.is_part_of_job()) {
        report::complain("the run is in " + name + "; as a page: ompcollect report " +
                         shell_quoted(name) + " --format html -o " + shell_quoted(page));
    } else if (place_.own_rank().rank == "0") {
        report::complain("the ranks of the job are in " + name +
                         "; all in one report: ompcollect report " + shell_quoted(name));
    }
}

report::Run read_raw_profiles(const std::string &path) {
    Processes processes;
    if (fs::is_directory(path)) {
        std::string complaints;
        processes = load_all(path, complaints);
        report::tell(STDERR_FILENO, complaints);
    } else {
        try {
            processes.push_back(report::read_live_file(path));
        } catch (const std::runtime_error &why) {
            throw Failure(path + ": " + why.what() +
                          "; give a run that ompcollect -o run.ompc saved");
        }
    }
    report::Run run = run_of(std::move(processes), {}, false);
    if (run.processes.empty()) {
        throw Failure(path + ": no profile of a process that used OpenMP; give one of a "
                             "program that does");
    }
    return run;
}

} // namespace ompcollect
