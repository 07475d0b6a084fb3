// SPDX-License-Identifier: Apache-2.0
//
// Whose time it is that a thread spends outside regions, or asleep: of the functions on its call
// path the innermost that is no helper. A helper is called by several functions, or by one that is
// a helper: what calls it is what a programmer changes. A function without a name is that of its
// caller that has one.
#pragma once

#include "run.h"

#include <cstdint>
#include <vector>

namespace ompcollect::report {

struct SerialPlace {
    int node = kOutside; // kOutside: no call path is known
    bool is_asleep = false;
    double seconds = 0;
    uint64_t samples = 0;
};

// Of all time in the state SERIAL; most time first.
std::vector<SerialPlace> serial_places(const Process &process);

// Where the threads of a region sleep most; the region where that is not known.
int asleep_place(const Process &process, int region);

// What calls a function that is a place: a function of the program or its region. Below 0: the
// place is a region, or nobody is known.
int caller_of_place(const Process &process, int node);

} // namespace ompcollect::report
