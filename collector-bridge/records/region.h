// SPDX-License-Identifier: Apache-2.0
// Parallel regions: their ids and the one record that the threads of a region share. A record is
// written by the region's master at fork and join, and by the first thread that creates a task
// between two barriers. Memory is type-stable: a worker may compare its region's key with a record
// that has long been ended or reused, and finds a different key there.
#pragma once

#include "base/ids.h"
#include "omp_collector_bridge.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ocb {

// A RegionKey distinguishes two uses of one record: it is the region's id, or for a league (host
// teams), which is no region, a number with the top bit set.
constexpr std::uint64_t kLeagueBit = 1ULL << 63;

constexpr bool is_league(RegionKey key) {
    return (number_of(key) & kLeagueBit) != 0;
}

// No league, and not serial code.
constexpr bool is_region(RegionKey key) {
    return static_cast<std::int64_t>(number_of(key)) > 0;
}

// Two cache lines. The master writes the first at fork and join; a worker reads it only when it is
// asked whether its region has ended. The second is written where tasks are created.
struct alignas(64) RegionRecord {
    // These two have the layout of omp_collector_bridge_forked_region.
    RegionId parent_id = RegionId::kNone;
    std::atomic<const void *> fork_address{nullptr}; // region_code.h; null: not known
    std::atomic<RegionKey> running_key{
        RegionKey::kNone};              // kNone once the master has left the region
    RegionRecord *outer_fork = nullptr; // what its master forked before and has not joined
    std::uint64_t client_word = 0;      // the data of a client tool (client_data.h)
    std::atomic<const void *> function{nullptr};
    RegionRecord *next_free = nullptr;
    std::uint32_t fork_session = 0;          // the session whose collector was to know of the FORK
    std::uint16_t number = 0;                // in the list of records; 0: not in it
    bool is_late : 1 = false;                // of those that make_late_region() gives out
    std::uint8_t enclosing_activity : 7 = 0; // its master's (kForkedInWait in tracker/regions.cpp)
    std::uint8_t open_pair = 0; // how its FORK stands with the collector (events/pairs.h)

    // The part of the region in which explicit tasks were last created. A part lies between two
    // barriers, and has the id of the first of them (barrier_id).
    alignas(64) std::atomic<BarrierId> part_with_tasks{BarrierId{0}};

    [[nodiscard]] bool is_running(RegionKey key) const {
        return running_key.load(std::memory_order_relaxed) == key;
    }
};

static_assert(sizeof(RegionRecord) == 2 * size_t{64});
static_assert(offsetof(RegionRecord, parent_id) ==
              offsetof(omp_collector_bridge_forked_region, parent_id));
static_assert(offsetof(RegionRecord, fork_address) ==
              offsetof(omp_collector_bridge_forked_region, address));

// The word that the runtime keeps for us with a region: its key and the number of its record. A
// worker that enters the region takes the id from it, and need not wait for cache lines that the
// master has just written. 0: nothing is kept.
using RegionWord = std::atomic<std::uint64_t>;
constexpr unsigned kRecordNumberBits = 16;

constexpr std::uint64_t word_of(const RegionRecord &region, RegionKey key) {
    const std::uint64_t number = number_of(key);
    return (number & kLeagueBit) | (number << kRecordNumberBits) | region.number;
}
constexpr RegionKey key_of(std::uint64_t word) {
    return RegionKey{(word & kLeagueBit) | ((word & ~kLeagueBit) >> kRecordNumberBits)};
}
// Null for 0. Async-signal-safe, as are the two above.
RegionRecord *region_of(std::uint64_t word);

// The id a collector sees.
constexpr RegionId visible_id(RegionKey key) {
    return is_league(key) ? RegionId::kNone : RegionId{number_of(key)};
}

// A region's key is its id.
constexpr RegionKey key_of(RegionId id) {
    return RegionKey{number_of(id)};
}

// A barrier's id, which is its wait id: region and count, the same on all threads of the team. Two
// counts are reserved. The last one is for threads that came to a barrier before barriers were
// observed. The last but one is for the barrier at the region's end: in a cancelled region not
// every thread has met the other barriers.
constexpr unsigned kBarrierCountBits = 20;
constexpr std::uint32_t kUncountedBarrier = (1U << kBarrierCountBits) - 1;
constexpr std::uint32_t kLastBarrier = kUncountedBarrier - 1;
constexpr BarrierId barrier_id(RegionKey key, std::uint32_t count) {
    const std::uint64_t number = number_of(key);
    return BarrierId{(number & kLeagueBit) | (number << kBarrierCountBits) |
                     (count & kUncountedBarrier)};
}

// The same where the key is a region's.
constexpr BarrierId barrier_of_region(RegionKey key, std::uint32_t count) {
    return BarrierId{(number_of(key) << kBarrierCountBits) | (count & kUncountedBarrier)};
}

// Region ids dealt to a thread: those from `next` on and before `end`.
struct RegionIds {
    std::uint64_t next = 0, end = 0;
};

// For own_regions.h, where a thread has no spare record. Null: no memory, or no number is left.
[[nodiscard]] RegionRecord *new_region_record();
void take_region_ids(RegionIds &ids);

[[nodiscard]] RegionKey next_league_key();

// A region that began unobserved; its record is free again when it has ended. Async-signal-safe;
// null without memory or number.
[[nodiscard]] RegionRecord *make_late_region();
// Gives back a late record: another thread has entered its own before.
void drop_late_region(RegionRecord &region);

// The record behind a word; a region that nobody has seen yet gets one here. Async-signal-safe.
[[nodiscard]] RegionRecord *region_at_first_sight(RegionWord &word);

void reset_regions_after_fork();

} // namespace ocb
