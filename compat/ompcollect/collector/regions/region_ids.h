// SPDX-License-Identifier: Apache-2.0
//
// From the producer's region ids to nodes of the region tree, so that a sample that knows only an
// id finds its node. Each thread that forks keeps its own: the regions that run, and the last ones
// for the sake of samples of workers that are late in leaving. So no fork writes what another
// thread's fork writes. node_of_region_id() is async-signal-safe.
#pragma once

#include "thread_slots.h"

#include <atomic>
#include <cstdint>

namespace ompcollect {

// The threads that have forked a region, for good: a list of slots.
ThreadSlot *first_master();
// Called in the callback of its first FORK by each thread but the first one. Null: nothing is.
using Prepare = void (*)();
extern constinit Prepare at_second_master;
void join_masters(ThreadSlot &slot);

// Of the last regions of a thread: the node, and the id without what its place says, in one word.
// That leaves 38 bits of the id. No word is 0, as where there was no region.
constexpr uint64_t recent_word(uint64_t id, uint32_t node) {
    return (id / ThreadSlot::kRecentRegions + 1) << 32 | node;
}

// The slot's thread has forked the region with this id (not 0), in this node.
inline void remember_region_id(ThreadSlot &slot, uint64_t id, uint32_t node) {
    if (!slot.is_master) [[unlikely]] {
        join_masters(slot);
    }
    slot.recent_regions[id % ThreadSlot::kRecentRegions].store(recent_word(id, node),
                                                               std::memory_order_release);
}

// kNodeUnknown: not known, or no longer.
uint32_t node_of_region_id(uint64_t id);

// A thread other than the one of the slot has forked regions and goes on.
bool others_fork(const ThreadSlot *own);

void restart_region_ids();

} // namespace ompcollect
