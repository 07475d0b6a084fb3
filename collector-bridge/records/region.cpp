// SPDX-License-Identifier: Apache-2.0
#include "records/region.h"

#include "base/options.h"
#include "base/pool.h"

namespace ocb {
namespace {

// Ids are dealt to threads in blocks, so that masters of different teams do not write one counter
// at each fork; small ones, so that ids stay small.
constexpr std::uint64_t kIdBlock = 16;
constexpr unsigned kMostAdopted = 256;

constinit Pool<RegionRecord, 64> pool;

// Written by many threads: on lines of their own, away from what every event reads.
struct alignas(64) SharedCounters {
    std::atomic<std::uint64_t> ids_dealt{0};
    std::atomic<std::uint64_t> leagues{0};
    std::atomic<unsigned> adopted_count{0};
    std::atomic<std::uint32_t> last_number{0};
};
constinit SharedCounters counters;

constinit RegionRecord adopted[kMostAdopted];

// Every record that has been in use, by number; written once each.
constexpr std::uint32_t kMostRecords = 1U << kRecordNumberBits;
constinit std::atomic<RegionRecord *> records[kMostRecords];

bool give_number(RegionRecord &region) {
    if (region.number != 0) {
        return true;
    }
    const std::uint32_t number = counters.last_number.fetch_add(1, std::memory_order_relaxed) + 1;
    if (number >= kMostRecords) {
        counters.last_number.store(kMostRecords, std::memory_order_relaxed);
        return false;
    }
    region.number = static_cast<std::uint16_t>(number);
    records[number].store(&region, std::memory_order_release);
    return true;
}

} // namespace

RegionRecord *new_region_record() {
    RegionRecord *region = pool.take();
    if (region != nullptr && !give_number(*region)) {
        pool.give(region);
        return nullptr;
    }
    return region;
}

void take_region_ids(RegionIds &ids) {
    ids.next = counters.ids_dealt.fetch_add(kIdBlock, std::memory_order_relaxed) +
               options().first_region_id;
    ids.end = ids.next + kIdBlock;
}

RegionRecord *region_of(std::uint64_t word) {
    return records[word & (kMostRecords - 1)].load(std::memory_order_acquire);
}

RegionKey next_league_key() {
    return RegionKey{kLeagueBit | (counters.leagues.fetch_add(1, std::memory_order_relaxed) + 1)};
}

RegionRecord *adopt_region() {
    const unsigned index = counters.adopted_count.fetch_add(1, std::memory_order_relaxed);
    if (index >= kMostAdopted) {
        counters.adopted_count.store(kMostAdopted, std::memory_order_relaxed);
        return nullptr;
    }
    RegionRecord &region = adopted[index];
    if (!give_number(region)) {
        return nullptr;
    }
    region.is_adopted = true;
    const std::uint64_t id = counters.ids_dealt.fetch_add(kIdBlock, std::memory_order_relaxed) +
                             options().first_region_id;
    region.running_key.store(RegionKey{id}, std::memory_order_release);
    return &region;
}

void drop_adopted_region(RegionRecord &region) {
    region.running_key.store(RegionKey::kNone, std::memory_order_relaxed);
}

RegionRecord *region_at_first_sight(RegionWord &word) {
    std::uint64_t seen = word.load(std::memory_order_acquire);
    if (seen != 0) {
        return region_of(seen);
    }
    RegionRecord *region = adopt_region();
    if (region == nullptr) {
        return nullptr;
    }
    const RegionKey key = region->running_key.load(std::memory_order_relaxed);
    if (word.compare_exchange_strong(seen, word_of(*region, key), std::memory_order_acq_rel)) {
        return region;
    }
    drop_adopted_region(*region);
    return region_of(seen);
}

void reset_regions_after_fork() {
    pool.reset_lock_after_fork();
}

} // namespace ocb
