// SPDX-License-Identifier: Apache-2.0
//
// The one writer for all that people read, to a file descriptor or to whoever takes it. Whatever
// comes to it, nothing but lines of visible characters leaves it: other bytes become \xNN
// (printable.h). A name that may hold a newline is made printable before it becomes part of a
// line. Through a fixed buffer: no stdio stream and no malloc, so that it can be used in a foreign
// process while it exits. The caller owns the descriptor.
#pragma once

#include <cstddef>

namespace ompcollect {

inline constexpr char kBoldBegin[] = "\033[1m";
inline constexpr char kBoldEnd[] = "\033[0m";

class TextOutput {
  public:
    // Gets the next bytes of the text; false if it could not keep them.
    using Taker = bool (*)(void *data, const char *bytes, size_t count);

    explicit TextOutput(int fd) : fd_(fd) {}
    TextOutput(Taker taker, void *data) : taker_(taker), data_(data) {}
    ~TextOutput() { flush(); }
    TextOutput(const TextOutput &) = delete;
    TextOutput &operator=(const TextOutput &) = delete;

    // One piece is at most kPiece bytes long; what is longer is cut.
    void print(const char *format, ...) __attribute__((format(printf, 2, 3)));
    // Lines of any length.
    void lines(const char *text, size_t size);
    // Lets our own sequences for bold text pass, and no others.
    void allow_bold() { has_bold_ = true; }
    void flush();
    // False if anything could not be written.
    [[nodiscard]] bool good() const { return good_; }

  private:
    static constexpr size_t kPiece = 5000; // a path of PATH_MAX and some words

    bool take(const char *bytes, size_t count);
    [[nodiscard]] size_t passed_bytes(const char *text, size_t size) const;

    int fd_ = -1;
    Taker taker_ = nullptr;
    void *data_ = nullptr;
    bool good_ = true;
    bool has_bold_ = false;
    size_t used_ = 0;
    char piece_[kPiece];
    char buffer_[kPiece];
};

} // namespace ompcollect
