// SPDX-License-Identifier: Apache-2.0
//
// What the rules of losses.cpp ask of a region and of the processors that it had.
#pragma once

#include "region_figures.h"

namespace ompcollect::report {

// Threads that count: not more than there are processors.
unsigned usable_threads(const Process &process, unsigned threads);
// Thread seconds without a processor because of the program's own threads, as part of all such.
double own_part_of_waiting(const Process &process);
// Processors on which the threads could run, by their own bindings; 0: not known.
unsigned bound_processors(const Process &process);
// Some of them had more at the end than before.
bool is_bound_at_times(const Process &process);

// Of a region: it is entered so often, with so little to do, that entering and leaving is the cost.
bool is_tiny(const Process &process, const RegionFigures &region);
// Work grows, or falls, from thread to thread in the order of their creation.
bool is_slanted(const RegionFigures &region);

} // namespace ompcollect::report
