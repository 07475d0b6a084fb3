// SPDX-License-Identifier: Apache-2.0
//
// Why a job has no profile: one line with cause and cure.
#pragma once

#include "preload_plan.h"

#include <string>
#include <vector>

namespace ompcollect {

// Behind the program's name.
constexpr char kForeignProgram[] = " is a program for another machine or word size than the bridge";

// What keeps any collector out, as far as the files of the command and the environment show it.
// Empty: nothing.
std::string why_nothing_is_collected(const std::string &program,
                                     const std::vector<std::string> &command);

// `folder`: where the job's processes left their profiles, none of which used OpenMP, and their
// status files (status_file.h).
std::string why_nothing_was_profiled(const PreloadPlan &plan, const std::string &program,
                                     const std::vector<std::string> &command,
                                     const std::string &folder);

// Lines about processes whose profile could not be begun. Empty: there are none.
std::string profiles_that_failed(const std::string &folder);

} // namespace ompcollect
