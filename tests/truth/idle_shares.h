// SPDX-License-Identifier: Apache-2.0
//
// What the two ways of announcing idleness make of the program idle_share.
#pragma once

#include "matrix_run.h"

namespace ocb_test {

// How far what was told and sampled is from what was true, in percentage points: the largest
// distance of the four shares, or more than all of them where the run is of no use.
double distance_from_truth(const ProgramRun &result, const Runtime &runtime, bool is_prompt);

} // namespace ocb_test
