// SPDX-License-Identifier: Apache-2.0
//
// The source files that a process's lines are in, as they are now: for a page that keeps them.
#pragma once

#include "run.h"

#include <map>
#include <string>
#include <vector>

namespace ompcollect::report {

// Of a page; what is more is left out.
inline constexpr size_t kMostOfAFile = 1 << 20;
inline constexpr size_t kMostOfAllFiles = 8 << 20;

struct SourceFiles {
    std::map<std::string, std::string> texts; // by the file's name, as lines have it
    std::vector<std::string> notes;           // what is missing or may not fit, sentences
};

// The files with the most time first, at most `room` bytes, which gets less. Texts are UTF-8
// without control characters but for newlines and tabs.
SourceFiles sources_of(const Process &process, size_t &room);

} // namespace ompcollect::report
