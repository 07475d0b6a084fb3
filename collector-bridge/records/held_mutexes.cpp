// SPDX-License-Identifier: Apache-2.0
#include "records/held_mutexes.h"

#include <iterator>
#include <sys/mman.h>

namespace ocb {

// No mutex lies at this address.
constinit MutexSlot no_mutex_slot{.wait_id{WaitId{~std::uint64_t{0}}}};

namespace held_mutexes {

constinit Acquisitions acquisitions;

namespace {

constexpr unsigned kProbes = 8;

// A larger table is made once the one before it has no free slot for a mutex.
constexpr unsigned kSlotBits[] = {14, 17, 20};
constexpr unsigned kTables = std::size(kSlotBits);

// In .bss: a page takes memory once it is touched.
constinit MutexSlot first_table[1U << kSlotBits[0]];
constinit std::atomic<MutexSlot *> tables[kTables] = {first_table};

// The table of that number. Makes it if needed. Null without memory.
MutexSlot *make_table(unsigned number) {
    MutexSlot *table = tables[number].load(std::memory_order_acquire);
    if (table != nullptr) {
        return table;
    }
    const std::size_t size = sizeof(MutexSlot) << kSlotBits[number];
    void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return nullptr;
    }
    if (tables[number].compare_exchange_strong(table, static_cast<MutexSlot *>(memory),
                                               std::memory_order_acq_rel)) {
        return static_cast<MutexSlot *>(memory);
    }
    munmap(memory, size);
    return table;
}

MutexSlot &probe(unsigned number, MutexSlot *table, WaitId wait_id, unsigned step) {
    constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;
    const unsigned bits = kSlotBits[number];
    const auto first = static_cast<unsigned>((number_of(wait_id) * kGolden) >> (64 - bits));
    return table[(first + step) & ((1U << bits) - 1)];
}

// Gives the slot to `wait_id`. Its old mutex has no slot then, and gets one when it is wanted
// again.
bool take_over(MutexSlot &slot, WaitId wait_id) {
    if (!slot.is_free()) {
        return false;
    }
    acquisitions.slots_change.store(true, std::memory_order_relaxed);
    acquisitions.take_slow_path.store(true, std::memory_order_relaxed);
    WaitId before = slot.wait_id.load(std::memory_order_relaxed);
    if (!slot.wait_id.compare_exchange_strong(before, wait_id, std::memory_order_seq_cst)) {
        return false;
    }
    // A thread that found the slot by its old mutex has entered itself before it could see the new
    // one.
    if (!slot.is_free()) {
        slot.wait_id.compare_exchange_strong(wait_id, before, std::memory_order_seq_cst);
        return false;
    }
    slot.watched.store(nullptr, std::memory_order_relaxed);
    return true;
}

// Reads before it writes, as other mutexes use these cache lines.
MutexSlot *assign_in(unsigned number, MutexSlot *table, WaitId wait_id) {
    for (unsigned step = 0; step < kProbes; ++step) {
        MutexSlot &slot = probe(number, table, wait_id, step);
        WaitId owner = slot.wait_id.load(std::memory_order_relaxed);
        if (owner == wait_id ||
            (owner == WaitId::kNone &&
             (slot.wait_id.compare_exchange_strong(owner, wait_id, std::memory_order_relaxed) ||
              owner == wait_id))) {
            return &slot;
        }
    }
    for (unsigned step = 0; step < kProbes; ++step) {
        MutexSlot &slot = probe(number, table, wait_id, step);
        if (take_over(slot, wait_id)) {
            return &slot;
        }
    }
    return nullptr;
}

} // namespace

// A slot that was given stays given. So the search ends at the first slot that never was.
MutexSlot *find(WaitId wait_id) {
    if (wait_id == WaitId::kNone) {
        return nullptr;
    }
    for (unsigned number = 0; number < kTables; ++number) {
        MutexSlot *table = tables[number].load(std::memory_order_acquire);
        if (table == nullptr) {
            return nullptr;
        }
        for (unsigned step = 0; step < kProbes; ++step) {
            MutexSlot &slot = probe(number, table, wait_id, step);
            const WaitId owner = slot.wait_id.load(std::memory_order_relaxed);
            if (owner == wait_id) {
                return &slot;
            }
            if (owner == WaitId::kNone) {
                return nullptr;
            }
        }
    }
    return nullptr;
}

MutexSlot *find_or_assign(WaitId wait_id) {
    MutexSlot *slot = find(wait_id);
    const bool is_mutex = wait_id != WaitId::kNone;
    for (unsigned number = 0; is_mutex && slot == nullptr && number < kTables; ++number) {
        MutexSlot *table = make_table(number);
        if (table == nullptr) {
            return nullptr;
        }
        slot = assign_in(number, table, wait_id);
    }
    return slot;
}

} // namespace held_mutexes

bool watch_release(WaitId wait_id) {
    MutexSlot *slot = held_mutexes::find(wait_id);
    const ThreadRecord *holder =
        slot != nullptr ? slot->holder.load(std::memory_order_relaxed) : nullptr;
    if (holder == nullptr ||
        held_mutexes::acquisitions.releases_are_lost.load(std::memory_order_relaxed)) {
        return false;
    }
    slot->watched.store(holder, std::memory_order_relaxed);
    return true;
}

bool is_held_by_other(WaitId wait_id, const ThreadRecord &asker) {
    const MutexSlot *slot = held_mutexes::find(wait_id);
    if (slot == nullptr) {
        return false;
    }
    const ThreadRecord *holder = slot->holder.load(std::memory_order_relaxed);
    return holder != nullptr && holder != &asker;
}

} // namespace ocb
