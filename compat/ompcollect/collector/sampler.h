// SPDX-License-Identifier: Apache-2.0
//
// The timers and the signal handler. Each thread has a timer of its own whose signal is delivered
// to that thread, so STATE is asked by the thread it is about. Timers that expired while the signal
// could not be delivered (thread not running, signal blocked) count as samples of the state found
// then: a thread that does not run does not change its state.
#ifndef OMPCOLLECT_SAMPLER_H
#define OMPCOLLECT_SAMPLER_H

#include "thread_slots.h"

#include <cstdint>

namespace ompcollect {

// Installs the handler. A handler that was there before gets the signals that are not ours.
bool start_sampler();
// No new samples, for good; timers of all threads are gone when it returns.
void stop_sampler();
bool sampler_runs();

// For the calling thread. start: nothing happens if it has a timer or the sampler does not run.
void start_thread_timer(ThreadSlot &slot);
void stop_thread_timer(ThreadSlot &slot);

uint64_t late_samples();
uint64_t lost_samples();
// Somebody else has installed a handler for the signal since start_sampler().
bool signal_was_taken();

// In the child after fork(): timers are not inherited, the handler is.
void restart_sampler();

} // namespace ompcollect

#endif
