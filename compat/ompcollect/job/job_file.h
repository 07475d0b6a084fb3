// SPDX-License-Identifier: Apache-2.0
//
// The file of a merged job, by the schema in job.fbs. Its bytes are those that processes hand to
// each other when they merge together.
#pragma once

#include "job.h"

#include <iosfwd>
#include <string>
#include <string_view>

namespace ompcollect::report {

inline constexpr unsigned kJobVersion = 1;

std::string job_bytes(const Job &job);

// True for the first bytes of such a file.
bool is_job_file(std::string_view begin);

// Throws Failure that says what is wrong with the bytes; `name` is that of the file.
Job job_of_bytes(std::string_view bytes, const std::string &name);

} // namespace ompcollect::report
