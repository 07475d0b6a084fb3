// SPDX-License-Identifier: Apache-2.0
//
// The timers and the signal handler. Each OpenMP thread has a timer on its own processor time,
// whose signal is delivered to that thread: a thread that sleeps is never woken. Where the producer
// cannot be asked from outside, the timer goes by the clock instead.
#pragma once

#include "thread_slots.h"

#include <cstdint>

namespace ompcollect {

// Installs the handler. A handler that was there before gets the signals that are not ours.
bool start_sampler();
// No new samples, for good. Timers of all threads are gone when it returns, the fine ones when the
// sampling thread has ended.
void stop_sampler();

// For the calling thread, in callbacks. Nothing happens if it has a timer, or has blocked the
// signal: then it is looked at from outside, the processor's part too.
void start_thread_timer(ThreadSlot &slot);

// For any thread. Where it cannot be observed from outside, its own handler must: by the clock.
void switch_to_wall_timer(ThreadSlot &slot);
void stop_thread_timer(ThreadSlot &slot);
// The same by the sampling thread.
void drop_thread_timer(ThreadSlot &slot);

// The initial thread, which sampling has begun with before any event has come: it is in serial
// code, and the runtime may not be ready to be asked.
bool is_before_first_event(const ThreadSlot &slot);

// The calling thread blocks the signal, or has unblocked it.
void pause_thread_timer();
void resume_thread_timer();

// Somebody else has installed a handler for the signal since start_sampler().
bool signal_was_taken();

} // namespace ompcollect
