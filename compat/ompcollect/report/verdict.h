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
    size_t top = 10; // rows of a table; 0: all
};

// The width of the terminal behind the descriptor, else COLUMNS, else 80.
unsigned line_width(int fd);

// Efficiencies, findings, and what each region would gain. Lines end in a newline.
std::string verdict_text(const Process &process, const TextStyle &style);

} // namespace ompcollect::report
