// SPDX-License-Identifier: Apache-2.0
//
// Which answers of the Collector API are exact, synthesised or impossible on a runtime. The bridge
// itself is asked, on that runtime, in a process of its own; what it says is held against what the
// checks have measured.
#pragma once

#include "runner.h"

#include <string>
#include <vector>

namespace compliance {

struct CollectorAnswer {
    std::string kind; // "request", "event", "state"
    int number;
    std::string name;
    std::string status; // "exact", "synthesised", "impossible"
    std::string reason;
    std::vector<std::string> measured; // by checks that have a say: their result, what they saw
};

// In the process of its own: starts a session on the runtime, asks for everything once, prints one
// line for each row. Returns the exit code.
int print_bridge_rows(const std::string &runtime);

// In the driver. Empty, with a sentence in `why`, where the bridge could not be asked.
std::vector<CollectorAnswer>
collector_answers(const Options &options, const std::vector<Result> &results, std::string &why);

} // namespace compliance
