// SPDX-License-Identifier: Apache-2.0
//
// What threads waited for: one row per wait state and wait id, with its BEGIN events and samples.
// Fixed size, lock-free, rows are never removed. sample_lock() is async-signal-safe.
#ifndef OMPCOLLECT_LOCK_TABLE_H
#define OMPCOLLECT_LOCK_TABLE_H

#include "raw_profile.h"
#include "thread_slots.h"

#include <cstdint>

namespace ompcollect {

inline constexpr unsigned kMostLocks = 4096;

// The calling thread has begun to wait; asks the producer for what.
void lock_wait_begins(ThreadSlot &slot);

void sample_lock(unsigned state, uint64_t wait_id, uint64_t weight);

// Copies the rows (kMostLocks long), most samples first, then most waits.
size_t collect_locks(RawLock *rows);
// Waits and samples without a row.
uint64_t untabled_locks();

// In the child after fork().
void restart_locks();

} // namespace ompcollect

#endif
