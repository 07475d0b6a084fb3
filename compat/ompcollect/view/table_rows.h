// SPDX-License-Identifier: Apache-2.0
//
// Fields of a row, and the widths of their columns.
#pragma once

#include "table.h"

namespace ompcollect::report {

inline constexpr size_t kTimeColumn = 10;
inline constexpr size_t kShareColumn = 8;
inline constexpr size_t kCountColumn = 6;
inline constexpr size_t kStateWidth = 8;

void add_time(Row &row, double seconds); // kNotKnown: a dash
void add_share(Row &row, double share);
void add_count(Row &row, uint64_t count);

} // namespace ompcollect::report
