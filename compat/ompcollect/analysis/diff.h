// SPDX-License-Identifier: Apache-2.0
//
// Comparison of runs: thread time by function, by region and by state, before and after, with the
// spread where several runs are given.
#pragma once

#include "run.h"

#include <string>
#include <vector>

namespace ompcollect::report {

enum class DiffBy : unsigned { kFunction, kRegion, kState };

// Seconds of one row in the runs of one side.
struct Spread {
    double mean = 0;
    double least = 0;
    double most = 0;
    double noise = 0; // three standard deviations of what sampling alone makes of it
};

struct DiffRow {
    std::string name;
    Spread before;
    Spread after;
    [[nodiscard]] double change() const { return after.mean - before.mean; }
    // Neither sampling nor the runs' own spread explains it.
    [[nodiscard]] bool is_certain() const;
};

struct Diff {
    Spread elapsed_before;
    Spread elapsed_after;
    std::vector<DiffRow> rows; // largest change first
};

Diff diff_of(const std::vector<Run> &before, const std::vector<Run> &after, DiffBy by);

// Tables for the terminal; `top` rows each, 0: all.
std::string diff_text(const std::vector<Run> &before, const std::vector<Run> &after,
                      const std::vector<DiffBy> &tables, size_t top);
// One row per name.
std::string diff_csv(const std::vector<Run> &before, const std::vector<Run> &after,
                     const std::vector<DiffBy> &tables);

} // namespace ompcollect::report
