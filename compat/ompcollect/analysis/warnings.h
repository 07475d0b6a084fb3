// SPDX-License-Identifier: Apache-2.0
//
// Warnings: why the numbers of a run may be wrong, and what is missing in them. One table makes
// them, and every output shows all of them.
#pragma once

#include "run.h"

#include <string>
#include <vector>

namespace ompcollect::report {

enum class Severity : unsigned {
    kEnd,   // how the process ended, where that is not its exit
    kNote,  // of the samples; nothing is wrong with the numbers
    kDoubt, // the numbers hold, but may not mean what they seem to
    kLoss,  // something is missing in them
};
const char *severity_name(Severity severity); // "end", "note", "doubt", "loss"

inline constexpr char kSharedMachine[] = "shared_machine"; // gains are upper bounds

struct Warning {
    const char *name; // for programs: "oversubscribed", "late_samples", ...
    Severity severity;
    std::string text; // a sentence without its end
};

// Doubts and losses first, then notes, then the end.
std::vector<Warning> warnings_of(const Process &process);
// Of all processes, each a sentence with its process's name.
std::vector<std::string> warning_texts(const Run &run);

} // namespace ompcollect::report
