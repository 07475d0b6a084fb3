// SPDX-License-Identifier: Apache-2.0
//
// The one line for a job without a profile: what was there, and what to do.
#pragma once

#include "preload_plan.h"

#include <string>
#include <vector>

namespace ompcollect {

// `folder`: where the job's processes left their profiles, none of which used OpenMP, and their
// notes (asked_note.h).
std::string why_nothing_was_profiled(const PreloadPlan &plan, const std::string &program,
                                     const std::vector<std::string> &command,
                                     const std::string &folder);

// Lines about processes whose profile could not be begun. Empty: there are none.
std::string profiles_that_failed(const std::string &folder);

} // namespace ompcollect
