// SPDX-License-Identifier: Apache-2.0
//
// See lock_table.h.
#include "lock_table.h"

#include "module_map.h"
#include "producer.h"

#include <atomic>

namespace ompcollect {
namespace {

struct Lock {
    std::atomic<uint64_t> key; // wait id and state, 0: not in use
    std::atomic<uint64_t> waits;
    std::atomic<uint64_t> samples;
    std::atomic<uintptr_t> first_wait; // the user's return address at the first wait
};

constinit Lock g_locks[kMostLocks] = {};
constinit std::atomic<uint64_t> g_untabled{0};
constinit std::atomic<bool> g_any{false};

constexpr unsigned kProbes = 64;

// Wait ids are addresses or small numbers: the top byte is free for the state.
constexpr unsigned kStateShift = 56;
constexpr uint64_t kWaitIdMask = (uint64_t{1} << kStateShift) - 1;

Lock *find_or_add_lock(unsigned state, uint64_t wait_id) {
    const uint64_t key = (wait_id & kWaitIdMask) | (uint64_t{state} << kStateShift);
    const uint64_t hash = key * 0x9e3779b97f4a7c15u;
    for (unsigned probe = 0; probe < kProbes; ++probe) {
        Lock &lock = g_locks[((hash >> 40) + probe) % kMostLocks];
        uint64_t seen = lock.key.load(std::memory_order_relaxed);
        if (seen == key ||
            (seen == 0 && (lock.key.compare_exchange_strong(seen, key) || seen == key))) {
            g_any.store(true, std::memory_order_relaxed);
            return &lock;
        }
    }
    return nullptr;
}

bool before(const RawLock &left, const RawLock &right) {
    return left.samples != right.samples ? left.samples > right.samples : left.waits > right.waits;
}

} // namespace

void lock_wait_begins(ThreadSlot &slot) {
    const ThreadAnswer answer = ask_thread();
    if (!is_mutex_wait(answer.state)) {
        return;
    }
    Lock *lock = find_or_add_lock(answer.state, answer.wait_id);
    if (!lock) {
        g_untabled.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    lock->waits.fetch_add(1, std::memory_order_relaxed);
    if (lock->first_wait.load(std::memory_order_relaxed) == 0) {
        lock->first_wait.store(find_user_frame(slot.unwind_depth), std::memory_order_relaxed);
    }
}

void sample_lock(unsigned state, uint64_t wait_id, uint64_t weight) {
    Lock *lock = find_or_add_lock(state, wait_id);
    (lock ? lock->samples : g_untabled).fetch_add(weight, std::memory_order_relaxed);
}

size_t collect_locks(RawLock *rows) {
    size_t count = 0;
    for (Lock &lock : g_locks) {
        const uint64_t key = lock.key.load(std::memory_order_relaxed);
        RawLock row;
        row.waits = lock.waits.load(std::memory_order_relaxed);
        row.samples = lock.samples.load(std::memory_order_relaxed);
        if (key == 0 || (row.waits == 0 && row.samples == 0)) {
            continue;
        }
        row.state = static_cast<unsigned>(key >> kStateShift);
        row.wait_id = key & kWaitIdMask;
        // A wait id inside no file is on the heap or a stack, or no address: nothing to name.
        const auto address = static_cast<uintptr_t>(row.wait_id);
        row.object = find_module(address) ? place_of(address, false) : Place{};
        const uintptr_t first_wait = lock.first_wait.load(std::memory_order_relaxed);
        row.first_wait = first_wait != 0 ? place_of(first_wait, true) : Place{};
        size_t place = count++;
        for (; place > 0 && before(row, rows[place - 1]); --place) {
            rows[place] = rows[place - 1];
        }
        rows[place] = row;
    }
    return count;
}

uint64_t untabled_locks() {
    return g_untabled.load(std::memory_order_relaxed);
}

void restart_locks() {
    g_untabled.store(0, std::memory_order_relaxed);
    if (!g_any.load(std::memory_order_relaxed)) {
        return;
    }
    for (Lock &lock : g_locks) {
        lock.waits.store(0, std::memory_order_relaxed);
        lock.samples.store(0, std::memory_order_relaxed);
    }
}

} // namespace ompcollect
