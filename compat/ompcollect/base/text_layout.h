// SPDX-License-Identifier: Apache-2.0
//
// Texts made fit for a line of a report: long names shortened so that what tells them apart stays,
// words put into lines of a width. Widths are in columns: characters of UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ompcollect::report {

size_t columns_of(std::string_view text);
// Whole lines, each with its newline.
size_t line_count(std::string_view text);

// At most `columns` wide. The name of a function first loses its arguments, then what stands in
// angle brackets, then its middle.
std::string shortened_name(const std::string &name, size_t columns);

// A function and its "file:line", either of which may be empty, at most `columns` wide. The line
// stays: the name is shortened first, then the middle of the file's path.
std::string shortened_place(const std::string &name, const std::string &source, size_t columns);

// At most `columns` wide: the middle of a longer text becomes "...".
std::string shortened(std::string_view text, size_t columns);

// Lines of at most `width` columns; the first begins with `head`, the others are indented as far.
// Of more lines than `most` (0: no limit) the last one shown ends with "...".
std::string hanging_lines(const std::string &head, const std::string &words, size_t width,
                          size_t most = 0);

// Words one after the other, in lines that are not wider than `width`, each after `indent` spaces.
class WrappedLines {
  public:
    WrappedLines(std::string &out, size_t width, size_t indent)
        : out_(out), width_(width), indent_(indent) {}
    ~WrappedLines();
    WrappedLines(const WrappedLines &) = delete;
    WrappedLines &operator=(const WrappedLines &) = delete;

    // Not broken, but shortened if it alone is too wide.
    void piece(std::string_view text);
    // Broken at spaces.
    void sentence(std::string_view text);

  private:
    void end_line();

    std::string &out_;
    size_t width_;
    size_t indent_;
    std::string line_;
};

} // namespace ompcollect::report
