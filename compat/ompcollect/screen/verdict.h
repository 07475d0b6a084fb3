// SPDX-License-Identifier: Apache-2.0
//
// The verdict as text: what a reader should see first.
#pragma once

#include "run.h"

#include <string>

namespace ompcollect::report {

struct TextStyle {
    size_t width = 80;
    bool colour = false;
    size_t top = 10; // rows of a list; 0: all
    size_t rows = 0; // of a table; 0: a number that fits a screen, or all where `top` is

    // As the options --top (0: not given) and --all want it.
    void take_rows(size_t wanted, bool all) {
        rows = wanted;
        top = rows_of_a_list(wanted, all);
    }
    static size_t rows_of_a_list(size_t wanted, bool all) {
        return all ? 0 : wanted != 0 ? wanted : TextStyle().top;
    }
};

// The width of the terminal behind the descriptor, else COLUMNS, else 80.
unsigned line_width(int fd);

// Efficiencies, findings, and what each region would gain. Lines end in a newline.
std::string verdict_text(const Process &process, const TextStyle &style);

} // namespace ompcollect::report
