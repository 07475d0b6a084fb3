// SPDX-License-Identifier: Apache-2.0
//
// How long threads queue for mutexes, by the clock: from BEGIN to END of each wait. Samples from
// outside have it on average, as long as the sampling thread finds each thread's wait for a
// processor as often as another's. Where others take processors it does not: it runs on one of
// them itself. So queues are measured from the moment on in which others do: a program that has the
// machine for itself pays for none.
#pragma once

#include "producer.h"
#include "thread_slots.h"

namespace ompcollect {

// From now on. Of the sampling thread.
void measure_queues();
// In a process that begins to sample: not yet.
void restart_queues();

// BEGIN of a wait, in its callback: what the thread is asked there.
void queue_begins(ThreadSlot &slot, const ThreadAnswer &answer);

// In a queue that has no BEGIN samples count: of the thread's own handler, and from outside.
// Async-signal-safe.
void queue_is_sampled(const ThreadSlot &slot, uint32_t node, unsigned state, uint64_t ns);
void queue_is_seen(const ThreadSlot &slot, uint32_t node, unsigned state, uint64_t off_ns);

} // namespace ompcollect
