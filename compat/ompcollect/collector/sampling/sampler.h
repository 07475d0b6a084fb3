// SPDX-License-Identifier: Apache-2.0
//
// The timers and the signal handler. Each OpenMP thread has a timer on its own processor time,
// whose signal is delivered to that thread. So a thread that sleeps is never woken. Where the
// producer cannot be asked from another thread, the timer goes by the clock instead.
#pragma once

#include "thread_slots.h"

#include <cstdint>

namespace ompcollect {

// Installs the handler. A handler that was there before gets the signals that are not ours.
bool start_sampler();
// Ends sampling for good. When it returns, the timers of all threads are deleted. The fine ones are
// closed when the sampling thread has ended.
void stop_sampler();

// For the calling thread, in callbacks. Does nothing if it has a timer. A thread that has blocked
// the signal gets none: the sampling thread reads it from outside, its processor time too.
void start_thread_timer(ThreadSlot &slot);

// For any thread whose state cannot be read from outside. From here on its own handler samples it,
// by the clock.
void switch_to_wall_timer(ThreadSlot &slot);
void stop_thread_timer(ThreadSlot &slot);
// Deletes the timer, called by the sampling thread.
void drop_thread_timer(ThreadSlot &slot);

// True for the initial thread before any event, where sampling has begun already. It is in serial
// code, and the runtime may not be initialised yet, so it is not asked.
bool is_before_first_event(const ThreadSlot &slot);

// The calling thread blocks the signal, or has unblocked it.
void pause_thread_timer();
void resume_thread_timer();

// True if another handler was installed for the signal since start_sampler().
bool signal_was_taken();

} // namespace ompcollect
