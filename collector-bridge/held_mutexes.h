// SPDX-License-Identifier: Apache-2.0
// Who holds which mutex: OMPT reports that a thread wants a mutex, not whether somebody has it. A
// table of slots, one cache line each; a slot is given to a mutex at its first acquisition (the one
// atomic read-modify-write), afterwards holding and releasing are plain stores, so that different
// mutexes do not disturb each other. What is lost if the table is full is a wait event, never
// anything else. Lock-free, async-signal-safe.
//
// A thread that finds the mutex free enters itself at once, before it has it: two threads that come
// within nanoseconds of each other (out of a barrier, say) would otherwise both find it free.
#pragma once

#include <cstdint>

namespace ocb {

struct ThreadRecord;

// False if another thread holds the mutex; otherwise the caller is entered as the one to get it.
bool claim_mutex(std::uint64_t wait_id, const ThreadRecord &claimant);
void hold_mutex(std::uint64_t wait_id, const ThreadRecord &holder);
void release_mutex(std::uint64_t wait_id, const ThreadRecord &holder);
bool is_held_by_other(std::uint64_t wait_id, const ThreadRecord &asker);

} // namespace ocb
