// SPDX-License-Identifier: Apache-2.0
// Who holds which mutex, and who came last to want it: OMPT reports that a thread wants a mutex,
// not whether it will have to wait. Slots of one cache line each lie in tables, and a mutex keeps
// its slot until another one needs it while nobody holds or wants the first. Where too many are
// held at once a larger table is added; tables are never freed. The record of a thread keeps the
// slot of its last mutex, so that release and next acquisition search nothing.
//
// A slot is given by one atomic read-modify-write. All else are plain stores, so different mutexes
// do not disturb each other. Short memory, or two threads within nanoseconds of each other, may
// cost a wait event and nothing else; the next release repairs the slot. Lock-free. Only
// find_or_assign may add a table, by mmap. is_held_by_other is async-signal-safe.
//
// Why the last thread that wanted it is kept: after a release nobody holds the mutex until the next
// thread of the queue notices that it is its turn. A thread that comes meanwhile waits all the
// same. Locks without a queue are different: the thread that comes first gets them.
#pragma once

#include "base/compiler.h"
#include "base/ids.h"
#include "records/thread_record.h"

#include <atomic>
#include <cstdint>

namespace ocb {

struct alignas(64) MutexSlot {
    std::atomic<WaitId> wait_id{WaitId::kNone};
    std::atomic<const ThreadRecord *> holder{nullptr};
    std::atomic<const ThreadRecord *> last{nullptr};    // to want it
    std::atomic<const ThreadRecord *> watched{nullptr}; // the holder whose release is asked for

    [[nodiscard]] bool is_of(WaitId mutex) const { return load_in_place(wait_id) == mutex; }
    [[nodiscard]] bool is_free() const {
        const auto held = reinterpret_cast<std::uintptr_t>(load_in_place(holder));
        const auto wanted = reinterpret_cast<std::uintptr_t>(load_in_place(last));
        return (held | wanted) == 0;
    }
};

namespace held_mutexes {

// Null: none; find_or_assign: without memory.
[[nodiscard]] MutexSlot *find(WaitId wait_id);
[[nodiscard]] MutexSlot *find_or_assign(WaitId wait_id);

// Read at each acquisition. `take_slow_path` is set in three cases: slots change their mutex, so a
// thread that enters itself must look again; every acquisition is an event (OCB_WAIT_EVENTS); or
// releases are not reported any more, so the table shows no holder.
struct alignas(64) Acquisitions {
    std::atomic<bool> slots_change{false};
    std::atomic<bool> take_slow_path{false};
    std::atomic<bool> releases_are_lost{false};
};
extern constinit Acquisitions acquisitions OCB_INTERNAL;
// Whether the slot is still this mutex's, after the caller has entered itself. Writes the value
// back unchanged: a thread that takes the slot over afterwards sees the caller in it.
OCB_ALWAYS_INLINE bool is_still_of(MutexSlot &slot, WaitId wait_id) {
    return !acquisitions.slots_change.load(std::memory_order_relaxed) ||
           slot.wait_id.compare_exchange_strong(wait_id, wait_id, std::memory_order_seq_cst);
}

// The slot of the caller's last mutex if it is this one, else another. Null without memory.
[[nodiscard]] inline MutexSlot *slot_for(WaitId wait_id, ThreadRecord &caller) {
    if (caller.mutex_slot->is_of(wait_id)) {
        return caller.mutex_slot;
    }
    MutexSlot *slot = find_or_assign(wait_id);
    if (slot != nullptr) {
        caller.mutex_slot = slot;
    }
    return slot;
}

} // namespace held_mutexes

// The common case: the caller wants the mutex of this slot, and nobody else holds or wants it.
// False where somebody does, or where acquisitions take the slow path.
[[nodiscard]] OCB_ALWAYS_INLINE bool want_free_mutex(MutexSlot &slot, const ThreadRecord &caller) {
    if (!slot.is_free()) {
        return false;
    }
    slot.last.store(&caller, std::memory_order_relaxed);
    if (load_in_place(held_mutexes::acquisitions.take_slow_path)) [[unlikely]] {
        slot.last.store(nullptr, std::memory_order_relaxed);
        return false;
    }
    return true;
}

// The caller wants the mutex of this slot. True if it will have to wait: another thread holds it
// or, where there is a queue, came before.
[[nodiscard]] inline bool want_mutex(MutexSlot &slot, WaitId wait_id, const ThreadRecord &caller,
                                     bool has_queue) {
    const ThreadRecord *holder = slot.holder.load(std::memory_order_relaxed);
    // The owner of a nest lock, with others in the queue behind it.
    if (holder == &caller) {
        return false;
    }
    const ThreadRecord *before = slot.last.load(std::memory_order_relaxed);
    if (before != &caller) {
        slot.last.store(&caller, std::memory_order_relaxed);
        if (!held_mutexes::is_still_of(slot, wait_id)) [[unlikely]] {
            slot.last.store(nullptr, std::memory_order_relaxed);
            return false;
        }
    }
    return holder != nullptr || (has_queue && before != nullptr && before != &caller);
}

OCB_ALWAYS_INLINE void hold_mutex(MutexSlot &slot, WaitId wait_id, const ThreadRecord &holder) {
    slot.holder.store(&holder, std::memory_order_relaxed);
    if (load_in_place(slot.last) == &holder) [[likely]] {
        return;
    }
    const ThreadRecord *last = slot.last.load(std::memory_order_relaxed);
    // An attempt (test_lock) succeeds without having been announced.
    if (last == nullptr) {
        slot.last.store(&holder, std::memory_order_relaxed);
    }
    if (!held_mutexes::is_still_of(slot, wait_id)) [[unlikely]] {
        slot.holder.store(nullptr, std::memory_order_relaxed);
        slot.last.store(nullptr, std::memory_order_relaxed);
    }
}

// True if another thread has asked for the event of this release.
[[nodiscard]] OCB_ALWAYS_INLINE bool release_mutex(MutexSlot &slot, const ThreadRecord &holder) {
    // The runtime reports a release after it has released: the next holder may have been entered
    // already and must stay.
    if (load_in_place(slot.holder) == &holder) [[likely]] {
        slot.holder.store(nullptr, std::memory_order_relaxed);
    }
    if (load_in_place(slot.last) == &holder) [[likely]] {
        slot.last.store(nullptr, std::memory_order_relaxed);
    }
    if (load_in_place(slot.watched) != &holder) [[likely]] {
        return false;
    }
    slot.watched.store(nullptr, std::memory_order_relaxed);
    return true;
}

// For a lock that was destroyed, or whose memory was freed, while it was held. Any thread, while no
// other one uses the lock.
inline void forget_mutex(MutexSlot &slot) {
    slot.watched.store(nullptr, std::memory_order_relaxed);
    slot.holder.store(nullptr, std::memory_order_relaxed);
    slot.last.store(nullptr, std::memory_order_relaxed);
}

// Requests a release event from the current holder; false if the holder is unknown.
// Async-signal-safe.
bool watch_release(WaitId wait_id);

[[nodiscard]] bool is_held_by_other(WaitId wait_id, const ThreadRecord &asker);

} // namespace ocb
