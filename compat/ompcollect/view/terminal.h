// SPDX-License-Identifier: Apache-2.0
//
// The screen and the keys that the viewer uses. curses_terminal.cpp makes them of ncurses;
// no_terminal.cpp stands in its place in a build without that library. One object at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace ompcollect::report {

enum class Key : unsigned {
    kLetter, // KeyPress::letter has it
    kUp,
    kDown,
    kLeft,
    kRight,
    kPageUp,
    kPageDown,
    kHome,
    kEnd,
    kTab,
    kBackTab,
    kEnter,
    kEscape,
    kBackspace,
    kResize, // the window has another size
    kGone,   // nobody is at the terminal any more
    kOther
};

struct KeyPress {
    Key key = Key::kOther;
    char32_t letter = 0;
};

enum class Look : unsigned { kPlain, kBold, kReverse, kUnderlined, kDim };

class Terminal {
  public:
    // Throws Failure, with cause and cure, where standard input and output are no terminal, or one
    // that cannot place its cursor.
    Terminal();
    // The screen is as it was before.
    ~Terminal();
    Terminal(const Terminal &) = delete;
    Terminal &operator=(const Terminal &) = delete;

    [[nodiscard]] size_t rows() const;
    [[nodiscard]] size_t columns() const;

    void clear();
    // Text in UTF-8, cut at the screen's edge. The rest of the row gets the same look, but for
    // kPlain. What is no character of the terminal is a question mark.
    void put(size_t row, size_t column, std::string_view text, Look look = Look::kPlain);
    void show();

    // Waits for a key.
    KeyPress read();

  private:
    struct Screen;
    std::unique_ptr<Screen> screen_;
};

} // namespace ompcollect::report
