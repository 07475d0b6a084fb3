// SPDX-License-Identifier: Apache-2.0
//
// From the call paths of a profile file, which are addresses, to the tree of functions and regions
// that reports show.
#pragma once

#include "run.h"
#include "source_lines.h"

namespace ompcollect {

// Calls of one function under one parent become one node, inlined functions nodes of their own.
// What a compiler has cut out of a function for a region is that region's own code. Cells and
// samples go with their nodes. Locks and lines get their names, too.
void name_process(report::Process &process, SourceLines &lines);

} // namespace ompcollect
