// SPDX-License-Identifier: Apache-2.0
#include "text_output.h"

#include "printable.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace ompcollect {

void TextOutput::print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(piece_, kPiece, format, arguments);
    va_end(arguments);
    if (length > 0) {
        lines(piece_,
              static_cast<size_t>(length) < kPiece ? static_cast<size_t>(length) : kPiece - 1);
    }
}

// How many bytes at the text's begin leave as they are; 0: the first one is escaped.
size_t TextOutput::passed_bytes(const char *text, size_t size) const {
    if (*text == '\n') {
        return 1;
    }
    constexpr const char *kOwn[] = {kBoldBegin, kBoldEnd};
    for (const char *own : kOwn) {
        const size_t length = strlen(own);
        if (has_bold_ && size >= length && memcmp(text, own, length) == 0) {
            return length;
        }
    }
    return shown_bytes(text, size);
}

void TextOutput::lines(const char *text, size_t size) {
    constexpr size_t kLongest = kEscapeSize; // a character has no more bytes either
    static_assert(sizeof kBoldBegin <= kLongest + 1 && sizeof kBoldEnd <= kLongest + 1);
    for (size_t at = 0; at < size;) {
        if (sizeof buffer_ - used_ < kLongest) {
            flush();
        }
        const size_t passed = passed_bytes(text + at, size - at);
        if (passed != 0) {
            memcpy(buffer_ + used_, text + at, passed);
        } else {
            write_escape(buffer_ + used_, text[at]);
        }
        used_ += passed != 0 ? passed : kEscapeSize;
        at += passed != 0 ? passed : 1;
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
