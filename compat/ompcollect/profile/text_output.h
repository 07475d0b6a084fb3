// SPDX-License-Identifier: Apache-2.0
//
// Formatted output to a file descriptor through a fixed buffer: no stdio stream and no malloc, so
// that it can be used in a foreign process while it exits. The caller owns the descriptor.
#ifndef OMPCOLLECT_TEXT_OUTPUT_H
#define OMPCOLLECT_TEXT_OUTPUT_H

#include <cstddef>

namespace ompcollect {

class TextOutput {
  public:
    explicit TextOutput(int fd) : fd_(fd) {}
    ~TextOutput() { flush(); }
    TextOutput(const TextOutput &) = delete;
    TextOutput &operator=(const TextOutput &) = delete;

    // One piece is at most kPiece bytes long; what is longer is cut.
    void print(const char *format, ...) __attribute__((format(printf, 2, 3)));
    void flush();
    // False if anything could not be written.
    bool good() const { return good_; }

  private:
    static constexpr size_t kPiece = 5000; // a path of PATH_MAX and some words

    int fd_;
    bool good_ = true;
    size_t used_ = 0;
    char buffer_[2 * kPiece];
};

} // namespace ompcollect

#endif
