// SPDX-License-Identifier: Apache-2.0
//
// What differs between two sets of runs: what they are, their totals, and thread time by region and
// by function. A change is certain where neither the spread between runs nor sampling explains it,
// of a row's time or of its work, waits or overhead alone: on a shared machine the time without a
// processor hides what happens to the work.
#pragma once

#include "matching.h"
#include "spread.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace ompcollect::report {

// A value in the runs of both sides.
struct Compared {
    std::vector<double> before; // by run
    std::vector<double> after;

    [[nodiscard]] double median_before() const { return middle_of(before).median; }
    [[nodiscard]] double median_after() const { return middle_of(after).median; }
    [[nodiscard]] Change change(double level = kDecides, ChangeIn in = ChangeIn::kUnits) const {
        return change_of(before, after, level, in);
    }
};

// Of what a run is: one value or several, joined.
struct FactChange {
    std::string what;
    std::string before; // empty: it has none
    std::string after;
};

enum class Fate : unsigned { kBoth, kNew, kGone };

struct ComparedRow {
    bool is_function = false;
    std::string name;   // as of after, or of before where it is gone; a region's with its place
    std::string was;    // its name before, where that was another one
    std::string region; // of a function
    std::string source; // of a region "file:line", of a function the file; empty: not known
    Fate fate = Fate::kBoth;
    std::vector<std::string> parts_before; // functions that are part of it after
    std::vector<std::string> parts_after;  // functions that were part of it before
    Compared seconds;                      // of threads, without idle time
    std::array<Compared, static_cast<size_t>(TimePart::kCount)> by_part;
    std::array<double, kStateColumns> state_change = {}; // of medians
    Compared elapsed;                                    // of a region
    Compared waited_for;
    Change change;           // of `seconds`
    double noise = 0;        // three standard deviations of what sampling makes of the change
    bool is_certain = false; // that, or one of its parts, is explained by no spread
    // What stands out: all of its time, or a part alone; kCount: all.
    TimePart headline = TimePart::kCount;
    Change headline_change;

    [[nodiscard]] const Compared &headline_seconds() const {
        return headline == TimePart::kCount ? seconds : part(headline);
    }
    [[nodiscard]] bool is_slower() const { return headline_change.middle > 0; }
    // Of a change, for the digits that it deserves.
    [[nodiscard]] double error_of(const Change &one, TimePart which) const {
        return std::max(one.half_width(), noise_of(which));
    }
    [[nodiscard]] double headline_error() const { return error_of(headline_change, headline); }
    // The share of `noise` that samples of this part make.
    [[nodiscard]] double noise_of(TimePart which) const;
    [[nodiscard]] const Compared &part(TimePart which) const {
        return by_part[static_cast<size_t>(which)];
    }
};

struct Comparison {
    std::string program;
    size_t runs_before = 0;
    size_t runs_after = 0;
    bool is_job = false;
    bool has_stacks = true;
    std::vector<FactChange> facts; // that differ
    Compared elapsed;              // seconds
    Compared efficiency;           // 0 .. 1
    Compared processor;            // seconds
    std::map<Cause, Compared> lost;
    ComparedRow all;                                     // of all time, idle time apart
    std::vector<ComparedRow> rows;                       // largest change first
    std::vector<std::pair<std::string, Compared>> locks; // waits for each, the same
    std::map<std::string, std::string> holders;          // by lock, after
    // Of names of a path before (path_name) those after.
    std::map<std::string, std::string> names_after;
};

// Throws Failure, exit code 2, for runs that have nothing in common, and a job beside a run.
Comparison comparison_of(const Side &before, const Side &after);

} // namespace ompcollect::report
