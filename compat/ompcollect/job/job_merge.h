// SPDX-License-Identifier: Apache-2.0
//
// From files and folders to one job. What cannot be read is a line; the rest is merged.
#pragma once

#include "job.h"

#include <functional>
#include <string>
#include <vector>

namespace ompcollect::report {

// What there is to read.
struct JobInputs {
    std::vector<std::string> files;   // saved runs, profiles, merged jobs; sorted, each once
    std::vector<std::string> folders; // of profiles that their launcher has not saved
    std::vector<AbsentRank> absent;
};

// Of the folder of a job, its ranks; a file is itself. Throws Failure for what is not there.
JobInputs job_inputs(const std::vector<std::string> &paths);

// The share of one of several processes that merge together: files of one name go to one of them,
// as those are copies of each other if any are.
JobInputs share_of_inputs(const JobInputs &all, unsigned process, unsigned processes);

// Whether the file is a merged job.
bool is_merged(const std::string &path);

// How a saved run, a profile or a folder of profiles is read; throws Failure.
using RunLoader = std::function<Run(const std::string &path)>;

// On all processors. Adds to `complaints` a line for each input that is left out.
Job merge(const JobInputs &inputs, const RunLoader &load, std::vector<std::string> &complaints);

// The sum of both; ranks of `more` that are in `job` make it be left out, with a line.
void add_to(Job &job, const Job &more, const std::string &name,
            std::vector<std::string> &complaints);

Job job_of_run(const Run &run);

} // namespace ompcollect::report
