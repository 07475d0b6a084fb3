// SPDX-License-Identifier: Apache-2.0
//
// See text_output.h.
#include "text_output.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <unistd.h>

namespace ompcollect {

void TextOutput::print(const char *format, ...) {
    if (sizeof(buffer_) - used_ < kPiece) {
        flush();
    }
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(buffer_ + used_, kPiece, format, arguments);
    va_end(arguments);
    if (length > 0) {
        used_ += static_cast<size_t>(length) < kPiece ? static_cast<size_t>(length) : kPiece - 1;
    }
}

void TextOutput::flush() {
    size_t written = 0;
    while (written < used_) {
        const ssize_t now = write(fd_, buffer_ + written, used_ - written);
        if (now < 0 && errno == EINTR) {
            continue;
        }
        if (now <= 0) {
            good_ = false;
            break;
        }
        written += static_cast<size_t>(now);
    }
    used_ = 0;
}

} // namespace ompcollect
