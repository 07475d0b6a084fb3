// SPDX-License-Identifier: Apache-2.0
//
// Regions as they come and go: which node of the region tree each running region is, which of them
// are outermost, and so where a thread's time belongs.
#pragma once

#include "call_paths.h"
#include "thread_slots.h"

#include <cstdint>

namespace ompcollect {

// FORK: the slot's thread is master of a new region. JOIN: it has ended. In callbacks.
void region_begins(ThreadSlot &slot);
void region_ends(ThreadSlot &slot);

// Whether an outermost region runs, whoever forked it.
bool any_region_runs();

// Where the time of a thread in `state` and region `id` (0: none) belongs. Async-signal-safe.
uint32_t node_for(uint64_t id, unsigned state);

// The same for a thread with a slot: on its way into a region that has no node yet, it still is in
// the one around.
uint32_t node_of_thread(const ThreadSlot &slot, uint64_t id, unsigned state);

// The same in the handler of a signal that has interrupted the calling thread: its own frames too,
// where stacks are kept.
uint32_t node_of_sample(ThreadSlot &slot, uint64_t id, unsigned state, const void *context);

// The same for a thread that is off the processor, by the sampling thread, when it had run for
// `ran`.
uint32_t node_of_sleeper(ThreadSlot &slot, uint64_t ran, uint64_t id, unsigned state);

// Where the calling thread is, of region `id`, in a callback: its innermost frame of user code.
CodePlace place_here(ThreadSlot &slot, uint64_t id);

// In the child after fork(), in two steps: what is known is forgotten; when the forking thread has
// its new slot, the regions that it is master of go on.
void restart_regions();
void resume_regions(ThreadSlot &slot);

} // namespace ompcollect
