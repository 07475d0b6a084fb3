// SPDX-License-Identifier: Apache-2.0
#include "records/region.h"

#include "base/log.h"
#include "base/options.h"
#include "base/pool.h"

#include <cerrno>
#include <sys/mman.h>

namespace ocb {
namespace {

// Threads get ids in blocks, so that masters of different teams do not write one counter at each
// fork. Blocks are small, so that ids stay small.
constexpr std::uint64_t kIdBlock = 16;

constinit Pool<RegionRecord, 64> pool;

// Written by many threads: on lines of their own, away from what every event reads.
struct alignas(64) SharedCounters {
    std::atomic<std::uint64_t> ids_dealt{0};
    std::atomic<std::uint64_t> leagues{0};
    std::atomic<std::uint32_t> last_number{0};
};
constinit SharedCounters counters;

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

// Late records are not from the pool, as signal handlers take them. They are in blocks that are
// never freed, and a record there is free while its region does not run.
constexpr unsigned kBlock = 256;
constexpr unsigned kMostBlocks = kMostRecords / kBlock;
constinit RegionRecord first_block[kBlock];
constinit std::atomic<RegionRecord *> blocks[kMostBlocks] = {first_block};

RegionRecord *add_block(std::atomic<RegionRecord *> &place) {
    const int saved_errno = errno;
    void *memory = mmap(nullptr, kBlock * sizeof(RegionRecord), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    RegionRecord *block = memory != MAP_FAILED ? static_cast<RegionRecord *>(memory) : nullptr;
    RegionRecord *before = nullptr;
    if (block != nullptr && !place.compare_exchange_strong(before, block)) {
        munmap(memory, kBlock * sizeof(RegionRecord));
        block = before;
    }
    errno = saved_errno;
    return block;
}

bool has_number_left() {
    return counters.last_number.load(std::memory_order_relaxed) < kMostRecords - 1;
}

// The thread that sets the key of a free record owns it.
bool claim(RegionRecord &region, RegionKey key) {
    RegionKey free = RegionKey::kNone;
    if (region.running_key.load(std::memory_order_relaxed) != free ||
        !region.running_key.compare_exchange_strong(free, key, std::memory_order_acq_rel)) {
        return false;
    }
    if (!give_number(region)) {
        region.running_key.store(RegionKey::kNone, std::memory_order_release);
        return false;
    }
    region.is_late = true;
    region.client_word = 0;
    region.fork_address.store(nullptr, std::memory_order_relaxed);
    region.function.store(nullptr, std::memory_order_relaxed);
    return true;
}

RegionRecord *claim_any(RegionKey key) {
    for (std::atomic<RegionRecord *> &place : blocks) {
        RegionRecord *block = place.load(std::memory_order_acquire);
        if (block == nullptr) {
            block = has_number_left() ? add_block(place) : nullptr;
        }
        if (block == nullptr) {
            return nullptr;
        }
        for (unsigned i = 0; i < kBlock; ++i) {
            if (claim(block[i], key)) {
                return &block[i];
            }
        }
    }
    return nullptr;
}

} // namespace

RegionRecord *new_region_record() {
    RegionRecord *region = pool.take();
    if (region != nullptr && give_number(*region)) {
        return region;
    }
    if (region != nullptr) {
        pool.give(region);
    }
    log_once(LogCause::kRegionWithoutRecord);
    return nullptr;
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

RegionRecord *make_late_region() {
    const std::uint64_t id = counters.ids_dealt.fetch_add(kIdBlock, std::memory_order_relaxed) +
                             options().first_region_id;
    return claim_any(RegionKey{id});
}

void drop_late_region(RegionRecord &region) {
    region.running_key.store(RegionKey::kNone, std::memory_order_release);
}

RegionRecord *region_at_first_sight(RegionWord &word) {
    std::uint64_t seen = word.load(std::memory_order_acquire);
    if (seen != 0) {
        return region_of(seen);
    }
    RegionRecord *region = make_late_region();
    if (region == nullptr) {
        return nullptr;
    }
    const RegionKey key = region->running_key.load(std::memory_order_relaxed);
    if (word.compare_exchange_strong(seen, word_of(*region, key), std::memory_order_acq_rel)) {
        return region;
    }
    drop_late_region(*region);
    return region_of(seen);
}

void reset_regions_after_fork() {
    pool.reset_lock_after_fork();
}

} // namespace ocb
