// SPDX-License-Identifier: Apache-2.0
//
// The sums of a process's cells that the text report prints: time by state of each thread and of
// each parallel region.
#pragma once

#include "run.h"

#include <vector>

namespace ompcollect::report {

struct RegionTimes {
    int node = -1; // the first of the region
    StateTimes times;
};

struct StateTables {
    explicit StateTables(const Process &process);

    StateTimes all;
    std::vector<StateTimes> threads;  // in the order of the threads
    std::vector<RegionTimes> regions; // most time first
    StateTimes outside;               // any region, idle workers included
    StateTimes several;               // idle workers while several outermost regions ran
    StateTimes unknown;               // inside a region whose fork was not seen
};

} // namespace ompcollect::report
