// SPDX-License-Identifier: Apache-2.0
//
// The one table of what a number of a profile or of a saved run may be. Whoever reads a file checks
// each number against it once; behind that every number can be multiplied, added up over a file's
// rows and turned into a whole number. Needs libc alone.
#pragma once

#include "sampling_rate.h"

#include <cstddef>
#include <cstdint>

namespace ompcollect {

enum class Quantity : unsigned {
    kProcess, // and a thread's number of the system
    kDate,
    kNanoseconds,
    kSeconds,        // by the clock, of one process
    kThreadSeconds,  // of threads one after the other, and of all of a process
    kSecondsIfKnown, // the same, or no number: not measured
    kRate,
    kThreads,
    kProcessors,
    kMegahertz,
    kCount,
    kStep,
    kState,
    kDepth,
    kSignal,
    kAny, // of whatever its type holds
    kCountOfQuantities
};

struct Range {
    const char *what; // with the unit
    double least;
    double most;
};

// The most are such that a time in nanoseconds, the sum of a process's included, fits 63 bits.
inline constexpr Range kRanges[] = {
    {"the number of a process or a thread", 0, 0x7fffffff},
    {"a date in seconds since 1970", 0, 4e9 * 50},
    {"a part of a second in nanoseconds", 0, 999999999},
    {"a time in seconds", 0, 1e9},
    {"a sum of times in seconds", 0, 4e9},
    {"a sum of times in seconds", 0, 4e9},
    {"the rate of samples a second", 0, kHighestRate},
    {"a number of threads", 0, 0x400000},
    {"a number of processors", 0, 0x100000},
    {"a frequency in MHz", 0, 1000000},
    {"a count", 0, 281474976710656.0},
    {"the step of samples", 0, 0x7fffffff},
    {"the number of a state", 0, 18},
    {"the depth of a call path", 0, 4096},
    {"the number of a signal", 0, 64},
    {"a number", -1e308, 1e308},
};
static_assert(sizeof kRanges / sizeof kRanges[0] ==
              static_cast<size_t>(Quantity::kCountOfQuantities));

constexpr const Range &range_of(Quantity quantity) {
    return kRanges[static_cast<unsigned>(quantity)];
}

// Looks at numbers one by one and remembers the first that is out of its range.
class RangeCheck {
  public:
    template <class Number> void number(Quantity quantity, Number value) {
        const Range &range = range_of(quantity);
        const auto number = static_cast<double>(value);
        const bool is_unknown = quantity == Quantity::kSecondsIfKnown && number != number;
        // Elsewhere what is no number is wrong, too.
        if (!(number >= range.least && number <= range.most) && !is_unknown && !wrong_) {
            wrong_ = &range;
            value_ = number;
        }
    }
    [[nodiscard]] bool holds() const { return !wrong_; }
    // "the rate of samples a second is 4e+09, which is not from 0 to 10000"; cut where it ends.
    void describe(char *to, size_t size) const;

  private:
    const Range *wrong_ = nullptr;
    double value_ = 0;
};

} // namespace ompcollect
