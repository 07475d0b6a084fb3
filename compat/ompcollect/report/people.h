// SPDX-License-Identifier: Apache-2.0
//
// What people read of launcher and reports goes through here, to the one writer (text_output.h).
// Names are made printable before a line is made of them, so that none can end the line. Formats
// that programs read are written elsewhere.
#pragma once

#include "run.h"

#include <string>
#include <string_view>

namespace ompcollect::report {

// A name or a path as part of a line.
std::string printable(std::string_view text);

// Every text of it: for reports, not for the file that keeps the run.
void make_printable(Process &process);

// Whole lines. False: they could not be written, and errno says why.
bool tell(int fd, std::string_view lines);
// "ompcollect: " and the text as one line, on standard error.
void complain(std::string_view line);

} // namespace ompcollect::report
