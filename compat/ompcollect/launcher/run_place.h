// SPDX-License-Identifier: Apache-2.0
//
// Where the run goes that -o NAME.ompc asks for. A run of one program is a file. The ranks of a job
// lie beside each other in a folder of that name, a file each, whoever writes them: one launcher
// around mpirun, or a launcher in each rank. Two of them never write the same name: a file that
// another one has written since this launcher began is added to.
//
//   NAME.ompc/rank-3.ompc             a rank's process
//   NAME.ompc/process-HOST-PID.ompc   another one's
//   NAME.ompc/rank-3.none             why that rank has left nothing: host and cause
//   NAME.ompc/live-.../               profiles while they are written; they stay if the launcher
//                                     is killed
#pragma once

#include "output_name.h"
#include "run.h"

#include <string>
#include <vector>

namespace ompcollect {

class RunPlace {
  public:
    // `output`: what follows -o. `starts_ranks`: the command is a launcher of jobs. Throws Failure
    // where the folder cannot be made, or a small file beside NAME.ompc cannot be written.
    RunPlace(const std::string &output, bool starts_ranks);
    ~RunPlace();
    RunPlace(const RunPlace &) = delete;
    RunPlace &operator=(const RunPlace &) = delete;

    [[nodiscard]] bool saves() const { return saves_; }
    // This launcher's program is one rank of several: the job's result is not its own.
    [[nodiscard]] bool is_part_of_job() const { return own_.several(); }
    [[nodiscard]] const JobRank &own_rank() const { return own_; }
    // The folder for profiles that are being written; empty: any private one.
    [[nodiscard]] const std::string &live_folder() const { return live_; }

    // The name under which all of it is found, a file or the folder. Throws Failure.
    std::string save(const report::Run &run);
    // Why this rank of a job has nothing to save. False: that could not be written either. An empty
    // note is left then, if there is room for one.
    bool record_why_none(const std::string &cause);
    // What lies there stays, for the reader of the folder.
    void keep_live_folder() { keeps_live_ = true; }

  private:
    void make_folder(bool is_whole_job);
    void remove_old(bool is_whole_job);
    [[nodiscard]] std::string name_of(const report::Process &process) const;
    void add_to_file(const std::string &name, report::Run run) const;

    std::string output_;
    bool saves_;
    JobRank own_;
    bool is_folder_ = false;
    bool keeps_live_ = false;
    std::string live_;
    long long begin_ns_; // of this launcher, by the clock that files have
};

} // namespace ompcollect
