// SPDX-License-Identifier: Apache-2.0
//
// The sampling thread: one in the process, with all signals blocked. At each tick it reads the
// threads' states from outside, and charges the time in which they do not run: their own signals
// cannot see that. It also makes room in the tables, writes the heartbeat, and counts threads that
// never use OpenMP.
#pragma once

#include "thread_slots.h"

namespace ompcollect {

// At the first event. False: the thread could not be created; the reason has been printed.
bool start_sampling_thread();

// Waits for its end, for a second at most, and does one last tick in its place.
void stop_sampling_thread();

// For what the kernel permits to a process of one thread alone. 0: there was none to pause, or
// the caller is a child that shares our memory. Every other call is followed by one of the second.
int pause_sampling_thread();
void resume_sampling_thread();

// Charges the time of the calling thread, which ends, that is not charged yet.
void settle_thread(ThreadSlot &slot);

// In the child after fork(): it has none.
void forget_sampling_thread();

} // namespace ompcollect
