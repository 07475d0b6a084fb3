// SPDX-License-Identifier: Apache-2.0
//
// Threads from their first to their last instruction: pthread_create is interposed, which works
// where the collector is preloaded or linked before libc. Otherwise threads are met at their first
// event.
#ifndef OMPCOLLECT_THREAD_START_H
#define OMPCOLLECT_THREAD_START_H

#include "thread_slots.h"

namespace ompcollect {

// Once, before any thread is met.
void prepare_thread_start();

// The calling thread's slot, given to it now if it has none, with a timer if the sampler runs and
// an end that is noticed. Null if the thread is ending.
ThreadSlot *meet_thread(RawThreadKind kind);

// Stops watching new threads; those that run are left to for_each_slot().
void end_thread_start();

} // namespace ompcollect

#endif
