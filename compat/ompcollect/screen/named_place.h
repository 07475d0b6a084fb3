// SPDX-License-Identifier: Apache-2.0
//
// A node of the tree as people see it: name and line apart, so that the line can be kept.
#pragma once

#include "run.h"

namespace ompcollect::report {

// The special ones have a name, too.
NamedPlace place_of(const Process &process, int node);

} // namespace ompcollect::report
