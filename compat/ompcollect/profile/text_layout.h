// SPDX-License-Identifier: Apache-2.0
//
// Texts made fit for a line of a report: control characters shown as text, long names shortened so
// that what tells them apart stays. Results live in the caller's Text.
#pragma once

#include "text_output.h"

#include <cstddef>

namespace ompcollect {

// A text of bounded length; what does not fit is left out.
class Text {
  public:
    [[nodiscard]] const char *c_str() const { return bytes_; }
    [[nodiscard]] size_t size() const { return size_; }
    // Columns that it takes: bytes, less those that continue a UTF-8 character.
    [[nodiscard]] size_t columns() const;

    Text &append(const char *bytes, size_t count);
    Text &append(const char *text);
    Text &appendf(const char *format, ...) __attribute__((format(printf, 2, 3)));
    void clear();

  private:
    friend void append_printable(Text &to, const char *text);

    static constexpr size_t kCapacity = 4096;
    size_t size_ = 0;
    char bytes_[kCapacity] = {};
};

// What is not to be shown becomes \xNN (printable.h).
void append_printable(Text &to, const char *text);

// At most `columns` wide. The name of a function first loses its arguments, then what stands in
// angle brackets, then its middle.
void append_shortened_name(Text &to, const char *name, size_t columns);

// At most `columns` wide: the middle of a longer text becomes "...".
void append_shortened(Text &to, const char *text, size_t columns);

// Words one after the other, in lines that are not wider than `width`, each after `indent` spaces.
class WrappedLines {
  public:
    WrappedLines(TextOutput &out, unsigned width, size_t indent)
        : out_(out), width_(width), indent_(indent) {}
    ~WrappedLines();
    WrappedLines(const WrappedLines &) = delete;
    WrappedLines &operator=(const WrappedLines &) = delete;

    // Not broken, but shortened if it alone is too wide.
    void piece(const char *text);
    // Broken at spaces.
    void sentence(const char *text);

  private:
    void end_line();

    TextOutput &out_;
    unsigned width_;
    size_t indent_;
    Text line_;
};

// The last part of a path.
const char *file_name_of(const char *path);

} // namespace ompcollect
