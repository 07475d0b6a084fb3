// SPDX-License-Identifier: Apache-2.0
// What the targets of binary files share: an input is a list of changes to a file that is whole, as
// random bytes would not pass the first look. A change is a place, in units of four bytes, and what
// is there from then on.
#pragma once

#include "input.h"

#include <algorithm>

#include <cstring>
#include <string>

namespace ocb::test {

inline void change_number(Input &input, char *at, std::size_t width, unsigned how) {
    constexpr std::uint64_t kWild[] = {0,
                                       1,
                                       2,
                                       ~std::uint64_t{0},
                                       ~std::uint64_t{0} >> 1,
                                       std::uint64_t{1} << 31,
                                       0xfffffff0,
                                       std::uint64_t{1} << 48,
                                       0x10000};
    constexpr unsigned kKinds = sizeof kWild / sizeof kWild[0];
    std::uint64_t value = 0;
    memcpy(&value, at, width);
    if (how < kKinds) {
        value = kWild[how];
    } else if (how == kKinds) {
        value += input.byte();
    } else if (how == kKinds + 1) {
        value -= input.byte();
    } else {
        for (std::size_t i = 0; i < width; ++i) {
            value = value << 8 | input.byte();
        }
    }
    memcpy(at, &value, width);
}

// `size` is what is left of the file when it was cut.
inline void change_image(Input &input, std::string &image) {
    while (!input.is_used_up() && image.size() >= 16) {
        const unsigned high = input.byte();
        const unsigned place = high << 8 | input.byte();
        const unsigned how = input.byte();
        const std::size_t at = std::size_t{place} * 4 % (image.size() - 8);
        if (how == 0xff) {
            image.resize(std::max<std::size_t>(at, 1));
        } else {
            change_number(input, &image[at], (how & 0x40) != 0 ? 8 : 4, how & 0x1f);
        }
    }
}

} // namespace ocb::test
