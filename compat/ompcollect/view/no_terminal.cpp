// SPDX-License-Identifier: Apache-2.0
//
// In the place of curses_terminal.cpp, for a build without ncurses.
#include "terminal.h"

#include "failure.h"

namespace ompcollect::report {

struct Terminal::Screen {};

Terminal::Terminal() {
    throw Failure("view is not in this build, which found no ncurses; build with libncurses-dev "
                  "installed, or read the run with ompcollect report");
}
Terminal::~Terminal() = default;

size_t Terminal::rows() const {
    return 0;
}
size_t Terminal::columns() const {
    return 0;
}
void Terminal::clear() {}
void Terminal::put(size_t, size_t, std::string_view, Look) {}
void Terminal::show() {}
KeyPress Terminal::read() {
    return {Key::kGone, 0};
}

} // namespace ompcollect::report
