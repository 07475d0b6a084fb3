// SPDX-License-Identifier: Apache-2.0
#include "lock_table.h"

#include "call_paths.h"
#include "call_tree.h"
#include "contract_names.h"
#include "module_map.h"
#include "producer.h"
#include "region_table.h"
#include "row_index.h"
#include "store.h"

namespace ompcollect {
namespace {

struct LockTraits {
    struct Key {
        uint64_t wait_id;
        uint32_t state;
        bool operator==(const Key &) const = default;
    };
    using Row = LockFileRow;
    static constexpr RowKind kKind = RowKind::kLock;
    static uint32_t hash(const Key &key) { return hash_of(key.wait_id, key.state); }
    static Key key_of(const Row &row) { return {row.wait_id, row.state}; }
    static void fill(Row &row, const Key &key) {
        row.wait_id = key.wait_id;
        row.state = key.state;
        row.first_wait.store(kNoRow, std::memory_order_relaxed);
        row.object.store(kNoRow, std::memory_order_relaxed);
    }
};

constinit RowIndex<LockTraits> locks;

using HolderTraits = WordsTraits<HolderFileRow, RowKind::kHolder, &HolderFileRow::lock,
                                 &HolderFileRow::node, &HolderFileRow::location>;

constinit RowIndex<HolderTraits> holders;

// A wait id inside no file is on the heap or a stack, or no address: nothing to name.
uint32_t object_at(uint64_t wait_id) {
    const auto address = static_cast<uintptr_t>(wait_id);
    return find_module(address) ? location_of(address, false) : kNoRow;
}

void count_wait(ThreadSlot &slot, const ThreadAnswer &answer) {
    grow_locks();
    LockFileRow *lock = locks.row_of({answer.wait_id, answer.state});
    if (!lock) {
        header().unplaced_lock_waits.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    lock->waits.fetch_add(1, std::memory_order_relaxed);
    if (lock->first_wait.load(std::memory_order_relaxed) == kNoRow) {
        lock->object.store(object_at(answer.wait_id), std::memory_order_relaxed);
        lock->first_wait.store(location_of(user_address(slot), true), std::memory_order_relaxed);
    }
}

} // namespace

void lock_wait_begins(ThreadSlot &slot) {
    const ThreadAnswer answer = ask_thread();
    if (is_mutex_wait(answer.state)) {
        count_wait(slot, answer);
    }
}

void charge_lock(unsigned state, uint64_t wait_id, uint64_t on_ns, uint64_t off_ns) {
    if (LockFileRow *lock = locks.row_of({wait_id, state})) {
        lock->on_ns.fetch_add(on_ns, std::memory_order_relaxed);
        lock->off_ns.fetch_add(off_ns, std::memory_order_relaxed);
        lock->samples.fetch_add(1, std::memory_order_relaxed);
        if (extensions().watch_mutex) {
            lock->open_ns.fetch_add(on_ns + off_ns, std::memory_order_relaxed);
            lock->open_samples.fetch_add(1, std::memory_order_relaxed);
            extensions().watch_mutex(wait_id);
        }
    } else {
        header().unplaced_lock_ns.fetch_add(on_ns + off_ns, std::memory_order_relaxed);
    }
}

void lock_is_released(ThreadSlot &slot) {
    const ThreadAnswer answer = ask_thread();
    const uint32_t number = locks.find({answer.wait_id, answer.state});
    if (number == kNoRow) {
        return;
    }
    auto *lock = row_as<LockFileRow>(RowKind::kLock, number);
    const uint64_t samples = lock->open_samples.exchange(0, std::memory_order_relaxed);
    const uint64_t ns = lock->open_ns.exchange(0, std::memory_order_relaxed);
    if (ns == 0) {
        return; // an earlier holder has it
    }
    grow_locks();
    const CodePlace place = place_here(slot, answer.region);
    if (HolderFileRow *holder = holders.row_of({number, place.node, place.location})) {
        holder->ns.fetch_add(ns, std::memory_order_relaxed);
        holder->samples.fetch_add(samples, std::memory_order_relaxed);
    }
}

void grow_locks() {
    locks.grow();
    holders.grow();
    grow_store();
}

void restart_locks() {
    locks.clear();
    holders.clear();
}

} // namespace ompcollect
