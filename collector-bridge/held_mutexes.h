// SPDX-License-Identifier: Apache-2.0
// Who holds which mutex: OMPT reports that a thread wants a mutex, not whether somebody has it. A
// table of slots, one cache line each; a slot is given to a mutex at its first acquisition (the one
// atomic read-modify-write), afterwards holding and releasing are plain stores, so that different
// mutexes do not disturb each other. What is lost if the table is full is a wait event, never
// anything else. Lock-free, async-signal-safe.
#pragma once

#include <cstdint>

namespace ocb {

struct ThreadRecord;

void hold_mutex(std::uint64_t wait_id, const ThreadRecord &holder);
void release_mutex(std::uint64_t wait_id, const ThreadRecord &holder);
bool is_held_by_other(std::uint64_t wait_id, const ThreadRecord &asker);

} // namespace ocb
