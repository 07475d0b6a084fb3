// SPDX-License-Identifier: Apache-2.0
// The number of a loop's iterations, from the bounds that gcc passes: the end is not reached.
#pragma once

#include <cstdint>

namespace ocb::gomp {

constexpr std::uint64_t loop_count(long start, long end, long step) {
    if (step > 0 ? start >= end : start <= end) {
        return 0;
    }
    const auto from = static_cast<std::uint64_t>(start);
    const auto to = static_cast<std::uint64_t>(end);
    return step > 0 ? (to - from + static_cast<std::uint64_t>(step) - 1) /
                          static_cast<std::uint64_t>(step)
                    : (from - to + (0 - static_cast<std::uint64_t>(step)) - 1) /
                          (0 - static_cast<std::uint64_t>(step));
}

// Of an unsigned loop; a downward one has the two's complement as its step.
constexpr std::uint64_t loop_count(bool is_upward, unsigned long long start, unsigned long long end,
                                   unsigned long long step) {
    if (is_upward) {
        return start >= end ? 0 : (end - start + step - 1) / step;
    }
    return start <= end ? 0 : (start - end + (0 - step) - 1) / (0 - step);
}

} // namespace ocb::gomp
