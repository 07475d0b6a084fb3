// SPDX-License-Identifier: Apache-2.0
#include "job_command.h"

#include "failure.h"
#include "job_figures.h"
#include "job_file.h"
#include "job_formats.h"
#include "mpi_merge.h"
#include "people.h"
#include "words.h"
#include "written_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>

namespace ompcollect::report {
namespace {

namespace fs = std::filesystem;

constexpr char kAllRanks[] = "all";
// As many reports one below the other nobody reads.
constexpr size_t kMostSingleReports = 16;

bool is_job(const Job &job) {
    const auto ranked = std::count_if(job.ranks.begin(), job.ranks.end(),
                                      [](const RankRow &rank) { return rank.rank >= 0; });
    const bool has_others = std::any_of(job.ranks.begin(), job.ranks.end(),
                                        [](const RankRow &rank) { return rank.ranks > 1; });
    return ranked > 1 || has_others || job.ranks.size() > kMostSingleReports;
}

// Lines that many files have in common would fill the screen.
void report_complaints(const std::vector<std::string> &complaints) {
    constexpr size_t kMost = 20;
    for (size_t i = 0; i < std::min(complaints.size(), kMost); ++i) {
        complain(complaints[i]);
    }
    if (complaints.size() > kMost) {
        complain("and " + grouped(complaints.size() - kMost) + " more lines like these");
    }
}

void require_ranks(const Job &job, const std::vector<std::string> &complaints) {
    if (job.ranks.empty()) {
        const std::string why = complaints.empty() ? "they hold no process" : complaints.back();
        throw Failure("nothing to merge: " + why + "; give runs that ompcollect -o run.ompc saved");
    }
    const bool has_rank = std::any_of(job.ranks.begin(), job.ranks.end(),
                                      [](const RankRow &rank) { return rank.rank >= 0; });
    if (!has_rank && !is_job(job)) {
        throw Failure("nothing to merge: these runs are no ranks of a job; ompcollect report shows "
                      "each of them, ompcollect diff compares two",
                      kExitUsage);
    }
}

// Of a file named after another rank it is known without reading it.
bool may_have_rank(const std::string &file, const std::string &rank) {
    const std::string name = fs::path(file).stem();
    return !name.starts_with("rank-") || name == "rank-" + rank;
}

} // namespace

bool is_single(const Run &run) {
    return run.processes.size() == 1 && run.processes.front().ranks <= 1;
}

bool is_job(const Run &run) {
    return !is_single(run) && is_job(job_of_run(run));
}

std::optional<Run> only_file(const CommandOptions &options, const RunLoader &load) {
    std::error_code ignored;
    const bool is_one = options.files.size() == 1 && options.rank.empty() &&
                        fs::is_regular_file(options.files.front(), ignored) &&
                        !is_merged(options.files.front());
    return is_one ? std::optional(load(options.files.front())) : std::nullopt;
}

bool report_job(const CommandOptions &options, const TextStyle &style, const RunLoader &load) {
    const JobFormat *format = job_format(options.format);
    if (!format || !options.rank.empty()) {
        return false;
    }
    std::vector<std::string> complaints;
    const Job job = merge(job_inputs(options.files), load, complaints);
    const bool is_whole = options.files.size() == 1 && is_merged(options.files.front());
    if (!is_whole && !is_job(job)) {
        return false; // what could not be read is said by who reads it again
    }
    report_complaints(complaints);
    write_to(options.output, [&](std::ostream &out) { format->write(job, style, out); });
    return true;
}

Run processes_of(const CommandOptions &options, const RunLoader &load) {
    const JobInputs inputs = job_inputs(options.files);
    const bool is_one = !options.rank.empty() && options.rank != kAllRanks;
    std::vector<std::string> paths;
    for (const std::string &file : inputs.files) {
        if (!is_one || may_have_rank(file, options.rank)) {
            paths.push_back(file);
        }
    }
    paths.insert(paths.end(), inputs.folders.begin(), inputs.folders.end());
    Run run;
    std::vector<std::string> complaints;
    for (const std::string &path : paths) {
        try {
            Run more = load(path);
            std::move(more.processes.begin(), more.processes.end(),
                      std::back_inserter(run.processes));
        } catch (const Failure &why) {
            if (paths.size() == 1) {
                throw;
            }
            complaints.push_back(std::string(why.what()) + "; left out");
        }
    }
    if (is_one) {
        std::erase_if(run.processes,
                      [&](const Process &process) { return process.rank != options.rank; });
    }
    if (run.processes.empty()) {
        throw Failure(is_one ? "no file has rank " + options.rank +
                                   "; a merged job keeps its "
                                   "ranks' own files beside it, the folder of the job has them"
                             : "no process in " + joined(options.files, ", ") +
                                   (complaints.empty() ? "" : ": " + complaints.front()));
    }
    report_complaints(complaints);
    return run;
}

int merge_files(const CommandOptions &options, const RunLoader &load) {
    if (options.files.empty() || options.output.empty()) {
        throw Failure("merge takes runs and the name of what they become: ompcollect merge -o "
                      "job.ompc run.ompc...");
    }
    const JobInputs inputs = job_inputs(options.files);
    std::vector<std::string> complaints;
    const MpiProcesses processes;
    Job job = merge(share_of_inputs(inputs, processes.own(), processes.count()), load, complaints);
    processes.reduce(job, complaints);
    if (processes.own() != 0) {
        return 0;
    }
    report_complaints(complaints);
    require_ranks(job, complaints);
    for (const std::string &doubt : job_doubts(job)) {
        complain(doubt);
    }
    write_to(options.output, [&](std::ostream &out) { out << job_bytes(job); });
    return 0;
}

} // namespace ompcollect::report
