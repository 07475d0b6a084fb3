// SPDX-License-Identifier: Apache-2.0
// Who holds which mutex, and who came last to want it: OMPT reports that a thread wants a mutex,
// not whether it will have to wait. A table of slots, one cache line each; a slot is given to a
// mutex at its first acquisition (the one atomic read-modify-write), afterwards all are plain
// stores, so that different mutexes do not disturb each other. What is lost if the table is full,
// or if two threads come within nanoseconds of each other, is a wait event, never anything else;
// the next release mends the slot. Lock-free, async-signal-safe.
//
// Why the last to want it: between a release and the moment the next in the queue notices that the
// mutex is his nobody holds it, but whoever comes then will wait all the same. Not so with locks
// that have no queue, where whoever comes first gets it.
#pragma once

#include "base/ids.h"

namespace ocb {

struct ThreadRecord;

// The caller wants the mutex. True if it will have to wait: somebody else holds it or, where there
// is a queue, came before.
[[nodiscard]] bool want_mutex(WaitId wait_id, const ThreadRecord &caller, bool has_queue);
void hold_mutex(WaitId wait_id, const ThreadRecord &holder);
void release_mutex(WaitId wait_id, const ThreadRecord &holder);
[[nodiscard]] bool is_held_by_other(WaitId wait_id, const ThreadRecord &asker);

} // namespace ocb
