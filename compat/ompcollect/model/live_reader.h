// SPDX-License-Identifier: Apache-2.0
//
// From a profile file (live_tables.h) to the model of its process (run.h). Places have no names
// yet: each node is a row of the file, with module and offset; name_process() makes functions of
// them. What is read has been checked (run_check.h).
#pragma once

#include "run.h"

#include <string>
#include <string_view>

namespace ompcollect::report {

// `profile` begins at a multiple of 64; `samples` is the file beside it, which may be empty. Throws
// std::runtime_error with the reason, "it is not a profile of ompcollect" for example.
Process read_live(std::string_view profile, std::string_view samples);

// The same for a file, with the file of samples that the profile names.
Process read_live_file(const std::string &path);

} // namespace ompcollect::report
