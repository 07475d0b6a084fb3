// SPDX-License-Identifier: Apache-2.0
// Parallel regions: their ids and the one record that the threads of a region share. A record is
// written by the region's master at fork and join, and by the first thread that creates a task
// between two barriers. Memory is type-stable: a worker may compare its region's key with a record
// that has long been ended or reused, and finds a different key there.
#pragma once

#include <atomic>
#include <cstdint>

namespace ocb {

// Tells two uses of one record apart: the region's id, or for a league (host teams), which is no
// region, a number with the top bit set.
using RegionKey = std::uint64_t;
constexpr RegionKey kLeagueBit = 1ULL << 63;

// Two cache lines. The first is written by the master at fork and join; a worker looks at it only
// where somebody asks whether its region has ended. The second is written where tasks are created.
struct alignas(64) RegionRecord {
    std::atomic<RegionKey> running_key{0}; // 0 once the master has left the region
    std::uint64_t parent_id = 0;
    RegionRecord *outer_fork = nullptr; // what its master forked before and has not joined
    std::uint64_t guest_word = 0;       // the data of a further tool (ompt-backend/multiplex/)
    std::atomic<const void *> fork_address{nullptr}; // region_code.h; null: not known
    std::atomic<const void *> function{nullptr};
    RegionRecord *next_free = nullptr;
    std::uint32_t fork_session = 0; // the session whose collector was to know of the FORK
    std::uint16_t number = 0;       // in the list of records; 0: not in it
    bool is_adopted = false;        // began before we observed; never reused
    std::uint8_t open_pair = 0;     // how its FORK stands with the collector (events/pairs.h)

    // Where explicit tasks were last created: a part of a region, which is what lies between two of
    // its barriers and is called like the first of them (barrier_id).
    alignas(64) std::atomic<std::uint64_t> part_with_tasks{0};

    bool is_running(RegionKey key) const {
        return running_key.load(std::memory_order_relaxed) == key;
    }
};

// What the runtime keeps for us with a region: its key and the number of its record, so that a
// worker that enters it learns its id from the runtime's own word and need not wait for lines that
// the master has just written. 0: nothing from us.
using RegionWord = std::atomic<std::uint64_t>;
constexpr unsigned kRecordNumberBits = 16;

constexpr std::uint64_t word_of(const RegionRecord &region, RegionKey key) {
    return (key & kLeagueBit) | (key << kRecordNumberBits) | region.number;
}
constexpr RegionKey key_of(std::uint64_t word) {
    return (word & kLeagueBit) | ((word & ~kLeagueBit) >> kRecordNumberBits);
}
// Null for 0. Async-signal-safe, as are the two above.
RegionRecord *region_of(std::uint64_t word);

// The id a collector sees.
constexpr std::uint64_t visible_id(RegionKey key) {
    return (key & kLeagueBit) != 0 ? 0 : key;
}

// A barrier's wait id: region and count, the same on all threads of the team. The last number is
// for threads that came to a barrier before barriers were observed, the last but one for the
// barrier at the region's end: where the region is cancelled, not every thread has met the others.
constexpr unsigned kBarrierCountBits = 20;
constexpr std::uint32_t kUncountedBarrier = (1U << kBarrierCountBits) - 1;
constexpr std::uint32_t kLastBarrier = kUncountedBarrier - 1;
constexpr std::uint64_t barrier_id(RegionKey key, std::uint32_t count) {
    return (key & kLeagueBit) | (key << kBarrierCountBits) | (count & kUncountedBarrier);
}

struct ThreadRecord;

// For the forking thread. Null without memory, or where 65,535 regions have records: the region
// then has an id but no record.
RegionRecord *begin_region(ThreadRecord &master, RegionKey key, std::uint64_t parent_id);
void end_region(ThreadRecord &master, RegionRecord &region);

// The next id, taken from the thread's own block.
std::uint64_t next_region_id(ThreadRecord &master);
RegionKey next_league_key();

// A region that began unobserved. Async-signal-safe; null when more than a few hundred of them ran
// at the time of START.
RegionRecord *adopt_region();
// Gives back an adopted record that another thread was quicker to enter.
void drop_adopted_region(RegionRecord &region);

void reset_regions_after_fork();

} // namespace ocb
