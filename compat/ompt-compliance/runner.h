// SPDX-License-Identifier: Apache-2.0
//
// Runs checks, each in a process of its own with a time limit.
#pragma once

#include "check_list.h"
#include "options.h"

#include <string>
#include <vector>

namespace compliance {

enum class Status {
    kCorrect,
    kIncorrect,
    kNotImplemented,
    kNotInGeneration,
    kCrashed,
    kHung,
    kSuiteFailed,
};
const char *status_text(Status status);
int exit_code(Status status); // as of --only and --brief; 0 where it does not count

struct Result {
    std::string name;
    Status status = Status::kSuiteFailed;
    std::string detail;             // of a crash or hang: signal or seconds
    std::string generation;         // of OMPT; empty: not known
    std::vector<std::string> texts; // sentences that do not hold, or what is missing
    std::vector<std::string> facts; // what was measured besides
    std::string errors;             // what was written to stderr
    double seconds = 0;
};

// What a process has written and how it ended.
struct Output {
    bool hung = false;
    int wait_status = 0;
    std::string out;
    std::string err;
    double seconds = 0;
};

// This program again, in an environment in which no OMP_ variable decides.
Output run_self(const std::vector<std::string> &arguments, int time_limit);

// In the order of the list. Those that sample run alone, the others `jobs` at a time.
std::vector<Result> run_checks(const std::vector<CheckName> &checks, const Options &options);

} // namespace compliance
