// SPDX-License-Identifier: Apache-2.0
//
// The one way to people: whatever launcher and reports have for them, nothing but lines of visible
// characters leaves this file; other bytes become \xNN (printable.h). Names are made printable
// before a line is made of them, so that none can end the line. Formats that programs read are
// written elsewhere.
#pragma once

#include <string>
#include <string_view>

namespace ompcollect::report {

// A name or a path as part of a line.
std::string printable(std::string_view text);
// It is that already.
bool is_printable(std::string_view text);

inline constexpr char kBoldBegin[] = "\033[1m";
inline constexpr char kBoldEnd[] = "\033[0m";

// Whole lines, of which only the newlines stay besides what is visible; and our own sequences for
// bold text where they are allowed.
std::string visible(std::string_view lines, bool may_be_bold = false);

// Whole lines, made visible. False: they could not be written, and errno says why.
bool tell(int fd, std::string_view lines);
// The file is a terminal that knows sequences which begin with an escape.
bool takes_escapes(int fd);
// "ompcollect: " and the text as one line, on standard error.
void complain(std::string_view line);

} // namespace ompcollect::report
