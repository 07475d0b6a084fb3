// SPDX-License-Identifier: Apache-2.0
//
// The report of a job for the terminal: at most 120 lines, however many ranks it has.
#pragma once

#include "job.h"
#include "text_style.h"

#include <string>

namespace ompcollect::report {

// The job's texts are made printable here.
std::string job_text(Job job, const TextStyle &style);

void make_printable(Job &job);

} // namespace ompcollect::report
