// SPDX-License-Identifier: Apache-2.0
//
// The one table of the verdict's limits: of a run, and of a job. Rules that mean the same share a
// limit. docs/VERDICT.md has the table, and a test compares both. Each row names the tests that
// stand on its two sides: moved by a factor of two, up or down, one of them fails
// (tests/mutation/limits.py).
#pragma once

#include <cstdint>
#include <vector>

namespace ompcollect::report {

enum class Limit : unsigned {
    kNoticed,
    kWorthALine,
    kShown,
    kFewestSamples,
    kDeviations,
    kMajority,
    kMost,
    kMuch,
    kQuarter,
    kTinyWork,
    kOften,
    kShortLife,
    kSlice,
    kFewestStretches,
    kCount
};

struct LimitRow {
    Limit limit;
    const char *name;
    double value;
    const char *unit;
    const char *reason; // why this value
    const char *tests;  // a filter of report-tests, or of job-tests
};

double limit(Limit which);
const std::vector<LimitRow> &all_limits();

// Fewer samples than this prove nothing.
inline uint64_t fewest_samples() {
    return static_cast<uint64_t>(limit(Limit::kFewestSamples));
}

} // namespace ompcollect::report
