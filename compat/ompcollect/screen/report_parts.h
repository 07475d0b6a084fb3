// SPDX-License-Identifier: Apache-2.0
//
// The parts of the text report (text_report.h has their names), and the columns of states that a
// line of it has room for.
#pragma once

#include "run.h"
#include "state_tables.h"
#include "verdict.h"

#include <string>

namespace ompcollect::report {

// The states that have columns of their own; the rest of the time is in one column.
struct StateColumnChoice {
    bool shown[kStateColumns] = {};
    bool has_rest = false;
};

// The states with the most time in `times`, at most as many columns as `columns`, the one for the
// rest included.
StateColumnChoice choose_columns(const StateTimes &times, size_t columns);

inline constexpr int kShareWidth = 7; // " 100.0%" without the sign
inline constexpr int kTimeWidth = 10; // of the column with time_heading()
// Of the times in tables: "cpu s" where nothing but that was measured, else "wall s".
const char *time_heading(const Process &process);
std::string share_heads(const StateColumnChoice &choice);
// Percent of the row's own wall time.
std::string shares(const StateTimes &times, const StateColumnChoice &choice);

// How many rows of `count` are shown.
size_t rows_shown(const TextStyle &style, size_t standard, size_t count);
// "and N more (--all shows them)", where rows are left out.
std::string left_out(size_t shown, size_t count, const char *what);

// Each part is whole lines.
std::string header_text(const Process &process, const TextStyle &style);
// What should make a reader doubt the numbers, and what is missing in them.
std::string warnings_text(const Process &process, const TextStyle &style);
std::string states_text(const Process &process, const StateTables &tables, const TextStyle &style);
// The shares alone, one behind the other.
std::string brief_states_text(const Process &process, const StateTables &tables, uint64_t samples,
                              const TextStyle &style);
std::string threads_text(const Process &process, const StateTables &tables, const TextStyle &style);
std::string gains_text(const Process &process, const Figures &figures, const TextStyle &style);
std::string blame_text(const Process &process, const TextStyle &style);
std::string regions_text(const Process &process, const StateTables &tables, const TextStyle &style);
std::string locks_text(const Process &process, const TextStyle &style);
// Events, and how the samples were taken.
std::string events_text(const Process &process, const TextStyle &style);

} // namespace ompcollect::report
