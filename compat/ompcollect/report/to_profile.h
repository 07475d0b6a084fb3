// SPDX-License-Identifier: Apache-2.0
//
// From a run back to the profile that the text report prints, so that a saved run has the tables
// that were on the screen.
#pragma once

#include "profile_reader.h"
#include "run.h"

namespace ompcollect::report {

// The texts of the profile are the process's own where the two live together: `to` must not outlive
// it. Functions inside a region count as part of the region.
void to_profile(const Process &process, LoadedProfile &to);

} // namespace ompcollect::report
