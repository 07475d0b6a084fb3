// SPDX-License-Identifier: Apache-2.0
//
// The report's first form: what a reader should see on one screen.
#pragma once

#include "state_tables.h"
#include "verdict.h"

#include <string>

namespace ompcollect::report {

// What stands below a head of so many lines. With it at most kScreen lines, unless the style asks
// for more rows.
std::string brief_text(const Process &process, const StateTables &tables,
                       const Conclusions &conclusions, const TextStyle &style, size_t head_lines);

} // namespace ompcollect::report
