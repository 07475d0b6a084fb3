// SPDX-License-Identifier: Apache-2.0
//
// See thread_slots.h.
#include "thread_slots.h"

#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

namespace ompcollect {
namespace {

// Ended threads that keep a row of their own.
constexpr unsigned kEndedRows = 64;

constinit ThreadSlot g_slots[kMostThreads] = {};
constinit ThreadSlot g_folded = {};
constinit ThreadSlot g_shared = {};
constinit std::atomic<unsigned> g_slots_in_use{0}; // highest index ever used, plus one
constinit std::atomic<unsigned> g_threads_seen{0};
constinit std::atomic<unsigned> g_ended_rows{0};

// Initial-exec: read in a signal handler, so it must not be allocated on first touch.
__attribute__((tls_model("initial-exec"))) thread_local ThreadSlot *t_slot = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local bool t_ended = false;

void clear(ThreadSlot &slot) {
    slot.number = 0;
    slot.tid = 0;
    slot.folded.store(0, std::memory_order_relaxed);
    for (auto &count : slot.samples) {
        count.store(0, std::memory_order_relaxed);
    }
    for (auto &count : slot.events) {
        count.store(0, std::memory_order_relaxed);
    }
    for (auto &count : slot.fork_samples) {
        count.store(0, std::memory_order_relaxed);
    }
    slot.in_fork.store(false, std::memory_order_relaxed);
    slot.has_fork_samples.store(false, std::memory_order_relaxed);
    slot.has_timer.store(false, std::memory_order_relaxed);
    slot.running_count = 0;
    slot.unwind_depth = 0;
}

void fold(const ThreadSlot &slot) {
    for (unsigned i = 0; i < kStateColumns; ++i) {
        g_folded.samples[i].fetch_add(slot.samples[i].load(std::memory_order_relaxed),
                                      std::memory_order_relaxed);
    }
    for (unsigned i = 0; i < kEventNumbers; ++i) {
        g_folded.events[i].fetch_add(slot.events[i].load(std::memory_order_relaxed),
                                     std::memory_order_relaxed);
    }
    g_folded.folded.fetch_add(1, std::memory_order_relaxed);
}

ThreadSlot *claim_slot() {
    for (unsigned i = 0; i < kMostThreads; ++i) {
        SlotState expected = SlotState::kFree;
        if (g_slots[i].state.load(std::memory_order_relaxed) != SlotState::kFree ||
            !g_slots[i].state.compare_exchange_strong(expected, SlotState::kReserved,
                                                      std::memory_order_acquire)) {
            continue;
        }
        clear(g_slots[i]);
        unsigned in_use = g_slots_in_use.load(std::memory_order_relaxed);
        while (in_use < i + 1 && !g_slots_in_use.compare_exchange_weak(in_use, i + 1)) {
        }
        return &g_slots[i];
    }
    return nullptr;
}

} // namespace

ThreadSlot *current_slot() {
    return t_slot;
}

ThreadSlot *attach_thread(RawThreadKind kind) {
    if (t_slot || t_ended) {
        return t_slot;
    }
    ThreadSlot *slot = claim_slot();
    const unsigned number = g_threads_seen.fetch_add(1, std::memory_order_relaxed);
    if (!slot) {
        g_shared.folded.fetch_add(1, std::memory_order_relaxed);
        t_slot = &g_shared;
        return t_slot;
    }
    slot->number = number;
    slot->tid = syscall(SYS_gettid);
    slot->kind = slot->tid == getpid() ? RawThreadKind::kInitial : kind;
    slot->state.store(SlotState::kRunning, std::memory_order_release);
    t_slot = slot;
    return slot;
}

void detach_thread() {
    ThreadSlot *slot = t_slot;
    t_slot = nullptr;
    t_ended = true;
    if (!slot || is_shared(slot)) {
        return;
    }
    if (g_ended_rows.fetch_add(1, std::memory_order_relaxed) < kEndedRows) {
        slot->state.store(SlotState::kEnded, std::memory_order_release);
        return;
    }
    fold(*slot);
    slot->state.store(SlotState::kFree, std::memory_order_release);
}

bool is_shared(const ThreadSlot *slot) {
    return slot == &g_shared;
}

void for_each_slot(void (*fn)(ThreadSlot &slot, void *data), void *data) {
    const unsigned in_use = g_slots_in_use.load(std::memory_order_acquire);
    for (unsigned i = 0; i < in_use; ++i) {
        const SlotState state = g_slots[i].state.load(std::memory_order_acquire);
        if (state == SlotState::kRunning || state == SlotState::kEnded) {
            fn(g_slots[i], data);
        }
    }
    g_folded.kind = RawThreadKind::kEnded;
    g_shared.kind = RawThreadKind::kShared;
    if (g_folded.folded.load(std::memory_order_relaxed) != 0) {
        fn(g_folded, data);
    }
    if (g_shared.folded.load(std::memory_order_relaxed) != 0) {
        fn(g_shared, data);
    }
}

ThreadSlot *restart_slots() {
    RunningRegion running[kDeepestNesting];
    unsigned running_count = 0;
    if (t_slot && !is_shared(t_slot)) {
        running_count = t_slot->running_count;
        memcpy(running, t_slot->running, sizeof running);
    }
    const unsigned in_use = g_slots_in_use.load(std::memory_order_relaxed);
    for (unsigned i = 0; i < in_use; ++i) {
        clear(g_slots[i]);
        g_slots[i].state.store(SlotState::kFree, std::memory_order_relaxed);
    }
    clear(g_folded);
    clear(g_shared);
    g_slots_in_use.store(0, std::memory_order_relaxed);
    g_threads_seen.store(0, std::memory_order_relaxed);
    g_ended_rows.store(0, std::memory_order_relaxed);
    t_slot = nullptr;
    ThreadSlot *slot = attach_thread(RawThreadKind::kInitial);
    if (slot && !is_shared(slot)) {
        memcpy(slot->running, running, sizeof running);
        slot->running_count = running_count;
    }
    return slot;
}

} // namespace ompcollect
