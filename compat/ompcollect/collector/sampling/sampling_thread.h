// SPDX-License-Identifier: Apache-2.0
//
// The sampling thread: one in the process, with all signals blocked. At each tick it charges what
// the OpenMP threads' own signals cannot see, the time in which a thread does not run, by reading
// its state from outside. It also keeps room in the tables, the heartbeat, and the account of
// threads that never use OpenMP.
#pragma once

#include "thread_slots.h"

namespace ompcollect {

// At the first event. False: there is no thread to be had; the reason has been printed.
bool start_sampling_thread();

// Waits for its end, for a second at most, and does one last tick in its place.
void stop_sampling_thread();

// For what the kernel permits to a process of one thread alone. 0: there was none to pause, or
// the caller is a child that shares our memory. Every other call is followed by one of the second.
int pause_sampling_thread();
void resume_sampling_thread();

// The time of the ending calling thread that nobody has charged yet.
void settle_thread(ThreadSlot &slot);

// In the child after fork(): it has none.
void forget_sampling_thread();

} // namespace ompcollect
