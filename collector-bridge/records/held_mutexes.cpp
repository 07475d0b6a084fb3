// SPDX-License-Identifier: Apache-2.0
#include "records/held_mutexes.h"

#include "records/thread_record.h"

#include <atomic>

namespace ocb {
namespace {

constexpr unsigned kSlotBits = 14;
constexpr unsigned kSlots = 1U << kSlotBits;
constexpr unsigned kProbes = 8;

struct alignas(64) Slot {
    std::atomic<WaitId> wait_id{WaitId::kNone};
    std::atomic<const ThreadRecord *> holder{nullptr};
    std::atomic<const ThreadRecord *> last{nullptr}; // to want it
};

// Lies in .bss: pages are there once touched.
constinit Slot slots[kSlots];

Slot &probe(WaitId wait_id, unsigned step) {
    constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;
    const auto first = static_cast<unsigned>((number_of(wait_id) * kGolden) >> (64 - kSlotBits));
    return slots[(first + step) & (kSlots - 1)];
}

Slot *find(WaitId wait_id) {
    for (unsigned step = 0; step < kProbes; ++step) {
        Slot &slot = probe(wait_id, step);
        const WaitId owner = slot.wait_id.load(std::memory_order_relaxed);
        if (owner == wait_id) {
            return &slot;
        }
        if (owner == WaitId::kNone) {
            return nullptr;
        }
    }
    return nullptr;
}

// A new slot, or that of a mutex which nobody holds.
Slot *assign(WaitId wait_id) {
    for (unsigned step = 0; step < kProbes; ++step) {
        Slot &slot = probe(wait_id, step);
        WaitId expected = WaitId::kNone;
        if (slot.wait_id.compare_exchange_strong(expected, wait_id, std::memory_order_relaxed) ||
            expected == wait_id) {
            return &slot;
        }
    }
    for (unsigned step = 0; step < kProbes; ++step) {
        Slot &slot = probe(wait_id, step);
        WaitId owner = slot.wait_id.load(std::memory_order_relaxed);
        if (slot.last.load(std::memory_order_relaxed) == nullptr &&
            slot.wait_id.compare_exchange_strong(owner, wait_id, std::memory_order_relaxed)) {
            return &slot;
        }
    }
    return nullptr;
}

Slot *find_or_assign(WaitId wait_id) {
    Slot *slot = find(wait_id);
    return slot != nullptr ? slot : assign(wait_id);
}

} // namespace

bool want_mutex(WaitId wait_id, const ThreadRecord &caller, bool has_queue) {
    Slot *slot = find_or_assign(wait_id);
    if (slot == nullptr) {
        return false;
    }
    const ThreadRecord *holder = slot->holder.load(std::memory_order_relaxed);
    // The owner of a nest lock, with others in the queue behind it.
    if (holder == &caller) {
        return false;
    }
    const ThreadRecord *before = slot->last.load(std::memory_order_relaxed);
    if (before != &caller) {
        slot->last.store(&caller, std::memory_order_relaxed);
    }
    return holder != nullptr || (has_queue && before != nullptr && before != &caller);
}

void hold_mutex(WaitId wait_id, const ThreadRecord &holder) {
    Slot *slot = find_or_assign(wait_id);
    if (slot == nullptr) {
        return;
    }
    slot->holder.store(&holder, std::memory_order_relaxed);
    // An attempt (test_lock) succeeds without having been announced.
    if (slot->last.load(std::memory_order_relaxed) == nullptr) {
        slot->last.store(&holder, std::memory_order_relaxed);
    }
}

void release_mutex(WaitId wait_id, const ThreadRecord &holder) {
    Slot *slot = find(wait_id);
    if (slot == nullptr) {
        return;
    }
    // The runtime reports a release after it has released: the next holder may have been entered
    // already and must stay.
    if (slot->holder.load(std::memory_order_relaxed) == &holder) {
        slot->holder.store(nullptr, std::memory_order_relaxed);
    }
    if (slot->last.load(std::memory_order_relaxed) == &holder) {
        slot->last.store(nullptr, std::memory_order_relaxed);
    }
}

bool is_held_by_other(WaitId wait_id, const ThreadRecord &asker) {
    const Slot *slot = find(wait_id);
    if (slot == nullptr) {
        return false;
    }
    const ThreadRecord *holder = slot->holder.load(std::memory_order_relaxed);
    return holder != nullptr && holder != &asker;
}

} // namespace ocb
