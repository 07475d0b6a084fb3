// SPDX-License-Identifier: Apache-2.0
//
// A node of the tree as people see it: name and line apart, so that the line can be kept.
#pragma once

#include "run.h"

namespace ompcollect::report {

// Where time by region is shown, that of no region.
inline constexpr char kOutsideName[] = "outside of parallel regions";

// The special ones have a name, too.
NamedPlace place_of(const Process &process, int node);

// As much of it as a line of `width` columns has room for behind `column`. Of a long one the middle
// is left out, never the line.
std::string place_in_line(const Process &process, int node, size_t width, size_t column);

} // namespace ompcollect::report
