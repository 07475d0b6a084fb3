// SPDX-License-Identifier: Apache-2.0
//
// The user-model call path of a thread: its own frames below the path on which its region was
// forked, with the frames of runtime, producer and collector left out. Made of the Collector API's
// region ids and of stacks alone, so that it holds for any producer.
//
// A thread's frames are followed from the leaf to where its part of the region begins:
//   no region             the root of the stack
//   it forked the region  the frame that holds the fork, found by the stack pointer at FORK
//   another one did       the first frame of the runtime below user code
// A task ends at the first frame of the runtime too: what lies below belongs to whoever waits.
#pragma once

#include "fork_place.h"
#include "stack_walk.h"
#include "thread_slots.h"

#include <cstdint>

namespace ompcollect {

// The calling thread's own stack, before its first use of the others.
void learn_stack_bounds(ThreadSlot &slot);

// In a callback of FORK, for the calling thread. `reported`: the return address of the fork, where
// the producer reports it; else 0. The result is `walked`, or a place that is remembered.
const ForkPlace *fork_place(ThreadSlot &slot, PathBase base, uintptr_t reported, ForkPlace &walked);

// The same from the call that forks (omp_collector_bridge_fork), which is on the thread's stack: so
// no frame of ours or of the runtime is in between.
const ForkPlace *fork_place_behind(ThreadSlot &slot, PathBase base, const uintptr_t *call,
                                   ForkPlace &walked);

// In a callback of a thread that goes on after fork(): the node of the path to the frame that holds
// a fork of a region, which is still on its stack.
uint32_t standing_path(ThreadSlot &slot, const PathBase &base, uintptr_t fork_cfa);

// In any other callback: the node of the code that has called the runtime, and its location.
struct CodePlace {
    uint32_t node;     // kNoRow: none; kNodeUnknown: no stacks are kept
    uint32_t location; // kNoRow: no frame was found
};
CodePlace calling_place(ThreadSlot &slot, const PathBase &base);

// In any callback: the return address in the innermost frame that is neither ours nor the
// runtime's; 0: none was found. Reads no unwind information but that of the frames inside of it.
uintptr_t user_address(ThreadSlot &slot);

// In the handler of a signal: the node for the interrupted code. Async-signal-safe.
uint32_t interrupted_node(ThreadSlot &slot, const PathBase &base, const void *context);

// For a thread that sleeps, from another one; memory holds a copy of its stack. The base's node
// where the stack could not be walked to its end: then frames.is_cut.
struct SleepingFrames {
    FrameList frames;
    PythonStack python;
};
uint32_t sleeping_node(ThreadSlot &slot, const PathBase &base, const Registers &registers,
                       const StackMemory &memory, SleepingFrames &to);

} // namespace ompcollect
