// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the text report share: the sum of all threads, and the columns of states that a
// line has room for.
#pragma once

#include "text_report.h"

namespace ompcollect {

// The states that have columns of their own; the rest of the time is in one column.
struct StateColumnChoice {
    bool shown[kStateColumns] = {};
    bool has_rest = false;
};

// The states with the most time in `times`, at most as many columns as `columns`, the one for the
// rest included.
StateColumnChoice choose_columns(const StateTimes &times, unsigned columns);

inline constexpr unsigned kShareWidth = 7; // " 100.0%" without the sign
inline constexpr unsigned kTimeWidth = 10; // of the column "wall s"
void print_share_heads(TextOutput &out, const StateColumnChoice &choice);
// Percent of the row's own wall time.
void print_shares(TextOutput &out, const StateTimes &times, const StateColumnChoice &choice);

// How many rows of `count` are shown.
size_t rows_shown(const ReportStyle &style, size_t standard, size_t count);
// "and N more (--all shows them)", where rows are left out.
void print_left_out(TextOutput &out, const ReportStyle &style, size_t shown, size_t count,
                    const char *what);

void print_header(TextOutput &out, const Profile &profile, const ReportStyle &style);
void print_warnings(TextOutput &out, const ReportStyle &style);
void print_states(TextOutput &out, const Profile &profile, const StateTimes &all,
                  const ReportStyle &style);
void print_threads(TextOutput &out, const Profile &profile, const StateTimes &all,
                   const ReportStyle &style);

} // namespace ompcollect
