// SPDX-License-Identifier: Apache-2.0
//
// How a text report is to look: its width, and what of it is shown.
#pragma once

#include <cstddef>

namespace ompcollect::report {

// The parts of a report below its head, as bits: text_report.h has their names.
using Parts = unsigned;
// Of each part what is worth a reader's first look, on one screen.
inline constexpr Parts kBrief = 0;
inline constexpr Parts kAllParts = ~0U;

// Lines of a brief report.
inline constexpr size_t kScreen = 40;

struct TextStyle {
    size_t width = 80;
    bool colour = false;
    size_t top = 10; // rows of a list; 0: all
    size_t rows = 0; // of a table; 0: a number that fits a screen, or all where `top` is
    Parts parts = kBrief;
    bool with_source = false; // of a page: the text around lines that have time

    // As the options --top (0: not given), --all and --show (kBrief: not given) want it.
    void take_options(size_t wanted, bool all, Parts shown) {
        rows = wanted;
        top = rows_of_a_list(wanted, all);
        parts = shown == kBrief && all ? kAllParts : shown;
    }
    static size_t rows_of_a_list(size_t wanted, bool all) {
        return all ? 0 : wanted != 0 ? wanted : TextStyle().top;
    }
};

} // namespace ompcollect::report
