// SPDX-License-Identifier: Apache-2.0
//
// The table of a code object that has its lines: CPython's location table of 3.11 and later. An
// entry covers a few units of code. Its first byte has bit 7, four bits of how the rest is written,
// and three of how many units it covers, less one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ompcollect {

// The line of the unit with this number. `next` returns the table's next byte, below 0 at its end.
// 0: the table ends before, or is none.
template <class Next> int line_of_unit(long unit, int first_line, Next next) {
    constexpr unsigned kNoLine = 15;
    constexpr unsigned kLong = 14;
    constexpr unsigned kLineAlone = 13;
    constexpr unsigned kNextLines = 10;
    const auto varint = [&next] {
        unsigned value = 0;
        int byte = 0x40;
        for (unsigned shift = 0; (byte & 0x40) != 0 && byte >= 0 && shift < 32; shift += 6) {
            byte = next();
            value |= byte < 0 ? 0 : (static_cast<unsigned>(byte) & 0x3fU) << shift;
        }
        return value;
    };
    const auto signed_varint = [&varint] {
        const unsigned value = varint();
        const int half = static_cast<int>(value >> 1);
        return (value & 1U) != 0 ? -half : half;
    };
    long begin = 0;
    unsigned line = static_cast<unsigned>(first_line);
    for (int byte = next(); byte >= 0x80; byte = next()) {
        const unsigned form = static_cast<unsigned>(byte) >> 3 & 15U;
        begin += (byte & 7) + 1;
        if (form == kLong || form == kLineAlone) {
            line += static_cast<unsigned>(signed_varint());
        } else if (form >= kNextLines && form != kNoLine) {
            line += form - kNextLines;
        }
        if (unit < begin) {
            return static_cast<int>(line);
        }
        const unsigned varints = form == kLong ? 3 : 0;
        const unsigned bytes = form < kNextLines ? 1 : form < kLineAlone ? 2 : 0;
        for (unsigned i = 0; i < varints; ++i) {
            varint();
        }
        for (unsigned i = 0; i < bytes; ++i) {
            next();
        }
    }
    return 0;
}

} // namespace ompcollect
