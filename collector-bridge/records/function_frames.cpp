// SPDX-License-Identifier: Apache-2.0
#include "records/function_frames.h"

#include "records/front.h"
#include "records/thread_record.h"
#include "runtime.h"

#include <atomic>

namespace ocb::function_frames {
namespace {

// Places where a frame has been seen. A place is never removed, so it keeps its slot. A place that
// finds no free slot counts as never seen.
constexpr unsigned kSlots = 512;
constexpr unsigned kProbes = 8;
constinit std::atomic<std::uint64_t> slots[kSlots] = {};

// A slot has the place, and how many absences in a row are still believed. A sample that comes
// between a region's report and its function sees one. Several in a row come where regions are
// hardly longer than that.
constexpr unsigned kBeliefBits = 3;
constexpr std::uint64_t kMostBelieved = 4;
constexpr std::uint64_t kBelief = (1U << kBeliefBits) - 1;
static_assert(kMostBelieved <= kBelief);

// Never 0. Addresses of programs have 47 bits.
std::uint64_t key_of(Place place) {
    return (std::uint64_t{place.call_site} << 2 | std::uint64_t{place.is_of_one} << 1 |
            std::uint64_t{place.is_in_league})
           << kBeliefBits;
}

unsigned first_slot_of(std::uint64_t key) {
    constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
    return static_cast<unsigned>(key * kGolden >> 32) % kSlots;
}

// Null: it has none.
std::atomic<std::uint64_t> *slot_of(std::uint64_t key) {
    const unsigned first = first_slot_of(key);
    for (unsigned i = 0; i < kProbes; ++i) {
        std::atomic<std::uint64_t> &slot = slots[(first + i) % kSlots];
        const std::uint64_t value = slot.load(std::memory_order_relaxed);
        if ((value & ~kBelief) == key) {
            return &slot;
        }
        if (value == 0) {
            return nullptr;
        }
    }
    return nullptr;
}

void take_slot(std::uint64_t key) {
    const unsigned first = first_slot_of(key);
    for (unsigned i = 0; i < kProbes; ++i) {
        std::atomic<std::uint64_t> &slot = slots[(first + i) % kSlots];
        std::uint64_t value = 0;
        if (slot.compare_exchange_strong(value, key | kMostBelieved, std::memory_order_relaxed) ||
            (value & ~kBelief) == key) {
            return;
        }
    }
}

Place place_of(const ThreadRecord &record, const ImplicitTask &implicit_task) {
    const ImplicitTask *outer = implicit_task.outer;
    return {reinterpret_cast<std::uintptr_t>(front::innermost_call_site(record.front)),
            implicit_task.team_size == 1, outer != nullptr && is_league(outer->key)};
}

// The runtime may lose the frame of a region in which another one is forked.
bool has_forked_since(const ThreadRecord &record, const ImplicitTask &implicit_task) {
    return number_of(implicit_task.key) + 1 != record.region_ids.next;
}

} // namespace

void record_presence(Place place) {
    const std::uint64_t key = key_of(place);
    std::atomic<std::uint64_t> *slot = slot_of(key);
    if (slot == nullptr) {
        return take_slot(key);
    }
    if (slot->load(std::memory_order_relaxed) != (key | kMostBelieved)) {
        slot->store(key | kMostBelieved, std::memory_order_relaxed);
    }
}

bool believes_absence(Place place) {
    const std::uint64_t key = key_of(place);
    std::atomic<std::uint64_t> *slot = slot_of(key);
    if (slot == nullptr) {
        return false;
    }
    const std::uint64_t belief = slot->load(std::memory_order_relaxed) & kBelief;
    if (belief == 0) {
        return false;
    }
    slot->store(key | (belief - 1), std::memory_order_relaxed);
    return true;
}

bool caller_is_around_function(const ThreadRecord &record) {
    ImplicitTask &implicit_task = *record.implicit_task.get();
    if (implicit_task.function_executes() || has_forked_since(record, implicit_task)) {
        return false;
    }
    const runtime::FunctionFrame frame = runtime::function_frame_of_caller();
    if (frame == nullptr) {
        return false;
    }
    if (*frame == nullptr) {
        return believes_absence(place_of(record, implicit_task));
    }
    record_presence(place_of(record, implicit_task));
    implicit_task.function_frame.set(frame);
    return false;
}

} // namespace ocb::function_frames
