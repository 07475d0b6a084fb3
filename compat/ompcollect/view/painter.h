// SPDX-License-Identifier: Apache-2.0
//
// Puts pages on the screen: head, list, what is told of the row at the cursor, and a line of keys.
#pragma once

#include "pages.h"
#include "terminal.h"

#include <string>

namespace ompcollect::report {

// A key and what it does, for the screen of help.
struct KeyHelp {
    const char *keys;
    const char *what;
};

struct Frame {
    std::string title;  // which process, where there are several
    std::string bottom; // a message or a question; empty: the keys
};

// How many rows of a list a screen has room for.
size_t rows_of_list(const Terminal &terminal);
void paint(Terminal &terminal, Pages &pages, const Frame &frame);
void paint_help(Terminal &terminal);

} // namespace ompcollect::report
