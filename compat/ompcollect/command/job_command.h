// SPDX-License-Identifier: Apache-2.0
//
// What `report` and `merge` do with the ranks of a job.
#pragma once

#include "command_options.h"
#include "job_merge.h"
#include "text_style.h"

#include <optional>
#include <string>
#include <vector>

namespace ompcollect::report {

// What the one file has, if there is no other. Throws Failure.
std::optional<Run> only_file(const CommandOptions &options, const RunLoader &load);
// One process, of no job: a lone rank of one is reported as the job of which the others are
// missing.
bool is_single(const Run &run);

// The report of the files as one job, where they are one; false: they are single processes. Lines
// about what is left out go to standard error. Throws Failure.
bool report_job(const CommandOptions &options, const TextStyle &style, const RunLoader &load);

// All processes of the files, or those of one rank where the options name one. Throws Failure.
Run processes_of(const CommandOptions &options, const RunLoader &load);

// True where the run has ranks of a job, and so is reported as one.
bool is_job(const Run &run);

// `ompcollect merge`: the files as one job into options.output. Throws Failure.
int merge_files(const CommandOptions &options, const RunLoader &load);

} // namespace ompcollect::report
