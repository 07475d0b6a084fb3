// SPDX-License-Identifier: Apache-2.0
//
// Names for the places on call paths: functions, lines, and the functions that were inlined there.
#pragma once

#include "profile_reader.h"
#include "source_lines.h"

namespace ompcollect {

// The names belong to the profile.
void name_paths(LoadedProfile &profile, SourceLines &lines);

} // namespace ompcollect
