// SPDX-License-Identifier: Apache-2.0
//
// Mutexes that threads have waited for, by wait id and kind of wait, and the code that held them
// meanwhile. Lock-free, grows with the profile.
//
// Only the holder can walk its own stack. So the time of a wait is kept on the lock, the provider
// of the API is asked to report the release, and the time is charged to the holder there.
#pragma once

#include "thread_slots.h"

#include <cstdint>

namespace ompcollect {

// BEGIN of a wait, in the callback: the thread's answers name the mutex. Not in a signal handler.
void lock_wait_begins(ThreadSlot &slot);

// Time that a thread waited, running or not. Async-signal-safe; a lock that has no row yet gets one
// if there is room.
void charge_lock(unsigned state, uint64_t wait_id, uint64_t on_ns, uint64_t off_ns);

// The calling thread has released a mutex that others were found waiting for. In the callback.
void lock_is_released(ThreadSlot &slot);

void grow_locks();
void restart_locks();

} // namespace ompcollect
