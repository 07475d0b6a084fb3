// SPDX-License-Identifier: Apache-2.0
//
// Mutexes that threads have waited for, by wait id and kind of wait. Lock-free, grows with the
// profile.
#pragma once

#include <cstdint>

namespace ompcollect {

// BEGIN of a wait, in the callback: the thread's answers say for what. Not in a signal handler.
void lock_wait_begins();

// Time that a thread waited, running or not. Async-signal-safe; a lock that has no row yet gets one
// if there is room.
void charge_lock(unsigned state, uint64_t wait_id, uint64_t on_ns, uint64_t off_ns);

void grow_locks();
void restart_locks();

} // namespace ompcollect
