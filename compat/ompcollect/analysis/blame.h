// SPDX-License-Identifier: Apache-2.0
//
// Undirected blame: which code kept the other threads waiting. While k of n threads wait in a
// barrier or are idle, the code of each thread that works is charged k / (n - k) of that time.
// Needs samples with times; without them there is no answer.
#pragma once

#include "run.h"

#include <vector>

namespace ompcollect::report {

struct Blame {
    int node = kOutside;  // of the code that worked
    double seconds = 0;   // thread seconds for which others waited
    uint64_t samples = 0; // of this code while somebody waited
};

// The most blamed first; empty if there are no samples with times.
std::vector<Blame> blame_of(const Process &process);

} // namespace ompcollect::report
