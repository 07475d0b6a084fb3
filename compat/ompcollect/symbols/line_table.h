// SPDX-License-Identifier: Apache-2.0
//
// Time by line of the source, of the program's own files.
#pragma once

#include "place_names.h"
#include "run.h"

#include <vector>

namespace ompcollect {

// `code` is that of each node, null for regions and for what is not known. Most time first. The
// text of a line is read now: where a report is made of the run later, the file may not be there.
// `left_out`: how many beyond those.
std::vector<report::Line> lines_of(const std::vector<report::Cell> &cells,
                                   const std::vector<report::Node> &nodes,
                                   const std::vector<const CodeAt *> &code, uint64_t &left_out);

} // namespace ompcollect
