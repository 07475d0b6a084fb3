// SPDX-License-Identifier: Apache-2.0
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

bool TextOutput::take(const char *bytes, size_t count) {
    if (taker_) {
        return taker_(data_, bytes, count);
    }
    for (size_t written = 0; written < count;) {
        const ssize_t now = write(fd_, bytes + written, count - written);
        if (now < 0 && errno == EINTR) {
            continue;
        }
        if (now <= 0) {
            return false;
        }
        written += static_cast<size_t>(now);
    }
    return true;
}

void TextOutput::flush() {
    good_ = take(buffer_, used_) && good_;
    used_ = 0;
}

} // namespace ompcollect
