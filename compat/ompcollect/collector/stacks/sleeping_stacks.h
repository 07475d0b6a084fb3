// SPDX-License-Identifier: Apache-2.0
//
// The call paths of threads that do not run, found from outside: nobody is woken. A thread asleep
// in a system call is walked from the registers that the kernel shows of it, in a copy of its
// stack. One that waits for a processor is where a sample was, if it is in the same region and
// state; else its time is the region's. For the sampling thread alone, whose data this is.
#pragma once

#include "call_paths.h"
#include "module_map.h"
#include "thread_slots.h"

#include <cstdint>

namespace ompcollect {

// What was seen of the thread. `node` is the region's; it is the answer where nothing more is
// known.
struct SeenThread {
    uint64_t region;
    unsigned state;
    uint32_t node;
};

// Asleep, as opposed to running or waiting for a processor. kNotKnown: the kernel does not show it.
// What is read is kept in the slot: cached_sleeping_node() needs it too, until the thread runs
// again. `ran`: the thread's clock, as it was read before.
enum class Rest { kAsleep, kRunnable, kNotKnown };
Rest rest_of(ThreadSlot &slot, uint64_t ran);

// The same where it may have been asked before: a thread that has not run rests as it did.
Rest rest_of_unmoved(ThreadSlot &slot, uint64_t ran);

// Of a thread found asleep: whose code has made the call, the C library's left out. kBase where the
// stack cannot be read.
CodeKind cached_sleeping_code(ThreadSlot &slot);

// The node for time off the processor.
uint32_t cached_sleeping_node(ThreadSlot &slot, uint64_t ran, const SeenThread &seen,
                              const PathBase &base);

} // namespace ompcollect
