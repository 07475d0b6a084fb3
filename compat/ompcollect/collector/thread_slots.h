// SPDX-License-Identifier: Apache-2.0
//
// One slot per thread: its sample and event counts and the regions it is master of. Slots lie in
// one static array. A slot is owned by its thread while that runs; threads that end keep their row
// until there are many, then their counts are folded together and the slot is used again, so that
// memory stays bounded. Threads beyond the last slot share one.
#ifndef OMPCOLLECT_THREAD_SLOTS_H
#define OMPCOLLECT_THREAD_SLOTS_H

#include "raw_profile.h"

#include <atomic>
#include <cstdint>
#include <ctime>

namespace ompcollect {

inline constexpr unsigned kMostThreads = 1024;
inline constexpr unsigned kDeepestNesting = 32;

struct RunningRegion {
    uint64_t id;
    int location; // row in the region table
    bool outermost;
};

enum class SlotState : int { kFree, kRunning, kEnded, kReserved };

struct alignas(64) ThreadSlot {
    std::atomic<SlotState> state;
    unsigned number;
    long tid;
    RawThreadKind kind;
    std::atomic<uint64_t> folded;
    std::atomic<uint64_t> samples[kStateColumns];
    std::atomic<uint64_t> events[kEventNumbers];

    // The timer belongs to whoever swaps has_timer to false.
    std::atomic<bool> has_timer;
    timer_t timer;

    // Samples taken inside the FORK callback, where the region has no row yet.
    std::atomic<bool> in_fork;
    std::atomic<bool> has_fork_samples;
    std::atomic<uint64_t> fork_samples[kStateColumns];

    // Of the owner alone; not used in the shared slot.
    RunningRegion running[kDeepestNesting];
    unsigned running_count;
    unsigned unwind_depth;
};

// The calling thread's slot, null before attach_thread() and after detach_thread().
// Async-signal-safe.
ThreadSlot *current_slot();

// Gives the calling thread a slot if it has none; null once the thread is ending. Async-signal-safe
// as such, but races with itself in a handler: call it outside of one.
ThreadSlot *attach_thread(RawThreadKind kind);

// The thread ends. From here on current_slot() is null and attach_thread() gives null.
void detach_thread();

bool is_shared(const ThreadSlot *slot);

// fn(slot, data) for each slot that holds counts: running and ended threads in the order of
// first sight, then the folded ones, then the shared slot.
void for_each_slot(void (*fn)(ThreadSlot &slot, void *data), void *data);

// In the child after fork(): forgets all threads and counts; the calling thread gets a new slot
// that keeps the regions it is master of.
ThreadSlot *restart_slots();

} // namespace ompcollect

#endif
