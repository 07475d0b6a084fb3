// SPDX-License-Identifier: Apache-2.0
//
// What must hold for a profile that was read from a file: every number is in its range (ranges.h).
// That rows refer to rows which are there the reader sees to.
#pragma once

#include "profile.h"
#include "ranges.h"

namespace ompcollect {

void check_profile(const Profile &profile, RangeCheck &check);

} // namespace ompcollect
