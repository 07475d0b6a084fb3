// SPDX-License-Identifier: Apache-2.0
#include "job_reports.h"

#include "command.h"
#include "environment.h"
#include "failure.h"
#include "formats.h"
#include "nothing_profiled.h"
#include "path_names.h"
#include "people.h"
#include "private_directory.h"
#include "process_table.h"
#include "profile_file.h"
#include "profile_reader.h"
#include "source_lines.h"
#include "symbol_names.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace ompcollect {
namespace {

namespace fs = std::filesystem;

using Profiles = std::vector<std::unique_ptr<LoadedProfile>>;

// The source has no name for a part that clang cut out; it is part of the function that forked the
// region around it.
// Each region is looked at once, as its name is there for those inside it.
void name_nameless_regions(LoadedProfile &profile) {
    const size_t count = profile.regions.size();
    std::vector<bool> is_done(count, false);
    std::vector<const char *> names(count, nullptr); // of it, or of the nearest around it
    std::vector<size_t> way;                         // outwards, to one that has a name or is done
    for (size_t first = 0; first < count; ++first) {
        for (size_t at = first; !is_done[at];) {
            is_done[at] = true;
            way.push_back(at);
            const int parent = profile.regions[at].parent;
            if (parent < 0 || static_cast<size_t>(parent) >= count) {
                break;
            }
            at = static_cast<size_t>(parent);
        }
        for (; !way.empty(); way.pop_back()) {
            Place &place = profile.regions[way.back()].place;
            const int parent = profile.regions[way.back()].parent;
            const bool has_parent = parent >= 0 && static_cast<size_t>(parent) < count;
            const char *above = has_parent ? names[static_cast<size_t>(parent)] : nullptr;
            const bool is_nameless = place.symbol && is_nameless_part(place.symbol);
            names[way.back()] = place.symbol && !is_nameless ? place.symbol : above;
            if (is_nameless && above) {
                place.symbol = above;
            }
        }
    }
}

void name_place(Place &place, LoadedProfile &profile, SourceLines &lines) {
    if (!place.module) {
        return;
    }
    const SourcePlace found = lines.look_up(place.module, place.offset);
    std::string symbol = !found.symbol.empty() ? found.symbol : place.symbol ? place.symbol : "";
    // In the source it is a place of the function that was inlined there.
    for (const SourcePlace &inlined : lines.inlined_at(place.module, place.offset)) {
        symbol = is_nameless_part(inlined.symbol) ? symbol : inlined.symbol;
    }
    place.symbol = profile.keep(display_name(symbol).c_str());
    place.source = profile.keep(found.source.c_str());
}

void name_places(LoadedProfile &profile, SourceLines &lines) {
    for (RegionRow &region : profile.regions) {
        name_place(region.place, profile, lines);
    }
    name_nameless_regions(profile);
    name_paths(profile, lines);
    for (LockRow &lock : profile.locks) {
        name_place(lock.object, profile, lines);
        name_place(lock.first_wait, profile, lines);
    }
    for (HolderRow &holder : profile.holders) {
        name_place(holder.place, profile, lines);
    }
}

// What cannot be read is a line of its own in `complaints`.
Profiles load_all(const std::string &folder, std::string &complaints) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto &entry : fs::directory_iterator(folder, ignored)) {
        const bool is_file = entry.symlink_status(ignored).type() == fs::file_type::regular;
        if (is_file && entry.path().extension() == kProfileSuffix) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    Profiles profiles;
    for (const fs::path &file : files) {
        auto loaded = std::make_unique<LoadedProfile>();
        if (const char *why = read_profile_file(file.c_str(), *loaded)) {
            complaints += "ompcollect: " +
                          report::printable(file.filename().string() + " was not read: " + why) +
                          "\n";
        } else {
            profiles.push_back(std::move(loaded));
        }
    }
    return profiles;
}

bool lives(const Profile &profile) {
    return process_begin(static_cast<pid_t>(profile.pid)) != 0;
}

bool any_used_openmp(const Profiles &profiles) {
    return std::any_of(profiles.begin(), profiles.end(),
                       [](const auto &loaded) { return used_openmp(loaded->profile); });
}

// Empty: the profile's own words are the best.
std::string how_it_ended(const Profile &profile, const ChildResult *child) {
    if (profile.ending == Ending::kExec) {
        return {};
    }
    if (child && profile.pid == child->pid) {
        return end_in_words(child->status);
    }
    if (profile.ending == Ending::kNone) {
        return lives(profile) ? "still running, so this is its profile so far"
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
    style.take_rows(options.top, options.all);
    return style;
}

// What only the launcher knows.
struct RunNotes {
    const ChildResult *child = nullptr; // the job's first process, once it has ended
    std::string runtime;                // how it came to its runtime
};

// Of the processes that used OpenMP: a shell around the program has nothing to tell.
report::Run run_of(Profiles &profiles, const RunNotes &notes, bool ask_servers) {
    SourceLines lines(ask_servers);
    report::Run run;
    for (const auto &loaded : profiles) {
        if (used_openmp(loaded->profile)) {
            name_places(*loaded, lines);
            report::Process &process =
                run.processes.emplace_back(report::process_from(loaded->profile));
            process.how_it_ended = how_it_ended(loaded->profile, notes.child);
            process.runtime_note = notes.runtime;
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

std::string own_host() {
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    return host;
}

} // namespace

JobReports::JobReports(const Options &options, const PreloadPlan &plan, std::string program,
                       std::string folder)
    : options_(options), plan_(plan), program_(std::move(program)), folder_(std::move(folder)),
      files_(saves_run() ? std::string() : options.output) {}

// Then the tables still go to stderr.
bool JobReports::saves_run() const {
    return options_.output.ends_with(report::kRunSuffix);
}

std::string JobReports::save(const report::Run &run) const {
    const report::Process &first = run.processes.front();
    std::string name = expanded_name(options_.output, {first.pid, first.host, own_job_rank().rank});
    report::save_run(run, name);
    return name;
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

void JobReports::begin_print_so_far() {
    std::erase_if(printers_, [](pid_t printer) { return waitpid(printer, nullptr, WNOHANG) != 0; });
    if (!printers_.empty()) {
        return; // the one before still prints
    }
    const pid_t pid = fork();
    if (pid > 0) {
        printers_.push_back(pid);
        files_.keep_contents();
    }
    if (pid != 0) {
        return;
    }
    int code = 0;
    try {
        std::string complaints;
        Profiles profiles = load_all(folder_, complaints);
        const report::Run run = run_of(profiles, {}, options_.debuginfod);
        for (const Printed &one : print_each(run, style_of(options_, files_.terminal()))) {
            files_.write(one.process, one.text);
        }
        if (saves_run() && any_used_openmp(profiles)) {
            const std::string name = save(run);
            report::complain("the run so far is in " + name);
        }
        if (!any_used_openmp(profiles)) {
            files_.write({getpid(), own_host(), {}},
                         "ompcollect: no OpenMP runtime of the job has asked for a tool so far\n");
        }
    } catch (const std::exception &error) {
        report::complain(error.what());
        code = kExitLauncher;
    }
    _exit(code);
}

void JobReports::print_all(const ChildResult &child) {
    wait_for_printers();
    std::string complaints;
    Profiles profiles = load_all(folder_, complaints);
    std::stable_partition(profiles.begin(), profiles.end(),
                          [&](const auto &loaded) { return loaded->profile.pid == child.pid; });
    report::tell(STDERR_FILENO, complaints);
    if (any_used_openmp(profiles)) {
        report::tell(STDERR_FILENO, profiles_that_failed(folder_));
    }
    const bool is_replaced = plan_.built_by_gcc && !plan_.runtime.empty();
    const report::Run run =
        run_of(profiles, {&child, is_replaced ? "in place of libgomp" : ""}, options_.debuginfod);
    for (const Printed &one : print_each(run, style_of(options_, files_.terminal()))) {
        files_.write(one.process, one.text);
    }
    if (saves_run() && any_used_openmp(profiles)) {
        const std::string name = save(run);
        const std::string page = name.substr(0, name.rfind('.')) + ".html";
        report::complain("the run is in " + name + "; as a page: ompcollect report " +
                         shell_quoted(name) + " --format html -o " + shell_quoted(page));
    }
    if (!any_used_openmp(profiles)) {
        files_.write({child.pid, own_host(), own_job_rank().rank},
                     "ompcollect: no profile (" + end_in_words(child.status) + "): " +
                         why_nothing_was_profiled(plan_, program_, options_.command, folder_) +
                         "\n");
    }
}

report::Run read_raw_profiles(const std::string &path) {
    Profiles profiles;
    std::string complaints;
    if (fs::is_directory(path)) {
        profiles = load_all(path, complaints);
        report::tell(STDERR_FILENO, complaints);
    } else {
        profiles.push_back(std::make_unique<LoadedProfile>());
        if (const char *why = read_profile_file(path.c_str(), *profiles.back())) {
            throw Failure(path + ": " + why + "; give a run that ompcollect -o run.ompc saved");
        }
    }
    if (!any_used_openmp(profiles)) {
        throw Failure(path + ": no profile of a process that used OpenMP");
    }
    return run_of(profiles, {}, false);
}

void recover_abandoned_profiles(const Options &options) {
    for (const std::string &path : take_abandoned_directories()) {
        std::string complaints;
        Profiles profiles = load_all(path, complaints);
        const bool lives_on = std::any_of(profiles.begin(), profiles.end(), [](const auto &loaded) {
            return lives(loaded->profile);
        });
        if (lives_on) {
            // Ours by its name now; whoever comes after us finds it again.
            continue;
        }
        const PrivateDirectory directory(path); // removes it
        const report::Run run = run_of(profiles, {}, options.debuginfod);
        for (const Printed &one : print_each(run, style_of(options, STDERR_FILENO))) {
            report::tell(STDERR_FILENO,
                         "ompcollect: an ompcollect that was killed has left this profile:\n" +
                             one.text + "\n");
        }
    }
}

} // namespace ompcollect
