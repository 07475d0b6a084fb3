// SPDX-License-Identifier: Apache-2.0
//
// Formatted output through a fixed buffer, to a file descriptor or to whoever takes it: no stdio
// stream and no malloc, so that it can be used in a foreign process while it exits. The caller owns
// the descriptor.
#pragma once

#include <cstddef>

namespace ompcollect {

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
    void flush();
    // False if anything could not be written.
    [[nodiscard]] bool good() const { return good_; }

  private:
    static constexpr size_t kPiece = 5000; // a path of PATH_MAX and some words

    bool take(const char *bytes, size_t count);

    int fd_ = -1;
    Taker taker_ = nullptr;
    void *data_ = nullptr;
    bool good_ = true;
    size_t used_ = 0;
    char buffer_[2 * kPiece];
};

} // namespace ompcollect
