// SPDX-License-Identifier: Apache-2.0
//
// Which bytes of a text may be shown to people. Names come from files of others, which may contain
// terminal commands, or characters that reverse the text behind them. Such bytes are shown as \xNN.
// The one rule for all that people read; text_output.h applies it to whole texts.
// Async-signal-safe, needs libc alone.
#pragma once

#include <cstddef>

namespace ompcollect {

// How many bytes at the begin of the text make one character that is shown as it is. 0: the first
// byte has to be escaped. It is so for control characters (newline and tab included), for
// characters that change the direction of others or cannot be seen, and for what is no UTF-8.
size_t shown_bytes(const char *text, size_t size);

inline constexpr size_t kEscapeSize = 4; // \xNN
void write_escape(char *to, char byte);  // without an end

// The text as a part of a line, cut where `capacity` ends. Gives its length; the end is a 0.
size_t printable_into(char *to, size_t capacity, const char *text);

} // namespace ompcollect
