// SPDX-License-Identifier: Apache-2.0
//
// From the profile files of a job to its reports: reads them, adds names and lines, prints. Works
// at any time of the run, as the files are live.
#pragma once

#include "child_process.h"
#include "options.h"
#include "preload_plan.h"
#include "report_files.h"
#include "run.h"
#include "run_place.h"

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ompcollect {

class JobReports {
  public:
    // `folder`: where the job's processes put their profiles; `place`: where their run is saved.
    // Throws Failure where the output cannot be.
    JobReports(const Options &options, const PreloadPlan &plan, std::string program,
               std::string folder, RunPlace &place);
    ~JobReports();
    JobReports(const JobReports &) = delete;
    JobReports &operator=(const JobReports &) = delete;

    // What takes time and can be done while the program runs: so that it ends sooner.
    void prepare();
    // Begins to print what there is now, in a process of its own, and returns.
    void begin_print_so_far();
    // Prints the profiles of all processes that left one, the child's first. Says so where there is
    // none. Throws Failure where they cannot be written.
    void print_all(const ChildResult &child);

  private:
    // In a process of its own. False: the one before still prints, or there is none to be had.
    bool begin_in_child(const std::function<void()> &print);
    void wait_for_printers();
    void print_so_far();
    void print(const report::Run &run);
    void print_none(const ChildResult &child, bool has_complained);
    // As the option asks for it. Returns its name.
    [[nodiscard]] std::string save(const report::Run &run);
    [[nodiscard]] std::string save_or_keep(const report::Run &run);
    void report_where(const std::string &name);

    const Options &options_;
    const PreloadPlan &plan_;
    std::string program_;
    std::string folder_;
    RunPlace &place_;
    ReportFiles files_;
    std::vector<pid_t> printers_;
};

// The profile in a file, or those in a folder, as the collector wrote them, with their names.
// Throws Failure.
report::Run read_raw_profiles(const std::string &path);

} // namespace ompcollect
