// SPDX-License-Identifier: Apache-2.0
//
// Parallel regions by where they are forked: one row for each fork location under each parent row,
// with its entries and samples. The table is of fixed size and lock-free, rows are never removed.
// sample_region() is async-signal-safe, the other functions are for event callbacks.
#ifndef OMPCOLLECT_REGION_TABLE_H
#define OMPCOLLECT_REGION_TABLE_H

#include "raw_profile.h"
#include "thread_slots.h"

#include <cstdint>

namespace ompcollect {

inline constexpr unsigned kMostRegions = 4096;

// FORK: the slot's thread is master of a new region.
void region_begins(ThreadSlot &slot);
// JOIN.
void region_ends(ThreadSlot &slot);

// `weight` samples of the slot's thread in `state`, in region `id` (0: none).
void sample_region(ThreadSlot &slot, uint64_t id, unsigned state, uint64_t weight);

// Copies the rows into `rows` (kMostRegions long), most time first, parents as indices into the
// result.
size_t collect_regions(RawRegion *rows);
void collect_unlocated(StateCounts &serial, StateCounts &several, StateCounts &unknown_region);

// In the child after fork(): counts begin at 0; the regions of the forking thread go on.
void restart_regions(const ThreadSlot *slot);

} // namespace ompcollect

#endif
