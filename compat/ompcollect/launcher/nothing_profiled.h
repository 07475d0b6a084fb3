// SPDX-License-Identifier: Apache-2.0
//
// The one line for a job without a profile: what was there, and what to do.
#pragma once

#include "preload_plan.h"
#include "profile_reader.h"

#include <memory>
#include <string>
#include <vector>

namespace ompcollect {

// `profiles`: those that the job's processes left, none of which used OpenMP.
std::string why_nothing_was_profiled(const PreloadPlan &plan, const std::string &program,
                                     const std::vector<std::string> &command,
                                     const std::vector<std::unique_ptr<LoadedProfile>> &profiles);

} // namespace ompcollect
