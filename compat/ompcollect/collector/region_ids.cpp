// SPDX-License-Identifier: Apache-2.0
//
// See region_ids.h.
#include "region_ids.h"

#include <atomic>

namespace ompcollect {
namespace {

// An id sits in one of kIdProbes places behind its hash.
constexpr unsigned kIdTableSize = 4096;
constexpr unsigned kIdProbes = 16;
constexpr uint64_t kIdBusy = ~uint64_t{0};

struct IdEntry {
    std::atomic<uint64_t> id; // 0: free
    std::atomic<int> location;
    std::atomic<bool> running;
};

constinit IdEntry g_ids[kIdTableSize] = {};

IdEntry &id_entry(uint64_t id, unsigned probe) {
    return g_ids[((id * 0x9e3779b97f4a7c15u >> 40) + probe) % kIdTableSize];
}

bool fill_id(IdEntry &entry, uint64_t seen, uint64_t id, int location) {
    if (!entry.id.compare_exchange_strong(seen, kIdBusy, std::memory_order_acquire)) {
        return false;
    }
    entry.location.store(location, std::memory_order_relaxed);
    entry.running.store(true, std::memory_order_relaxed);
    entry.id.store(id, std::memory_order_release);
    return true;
}

IdEntry *find_id(uint64_t id) {
    for (unsigned probe = 0; probe < kIdProbes; ++probe) {
        IdEntry &entry = id_entry(id, probe);
        if (entry.id.load(std::memory_order_acquire) == id) {
            return &entry;
        }
    }
    return nullptr;
}

} // namespace

void remember_region_id(uint64_t id, int location) {
    for (unsigned probe = 0; probe < kIdProbes; ++probe) {
        IdEntry &entry = id_entry(id, probe);
        const uint64_t seen = entry.id.load(std::memory_order_acquire);
        const bool usable = seen == 0 || seen == id ||
                            (seen != kIdBusy && !entry.running.load(std::memory_order_relaxed));
        if (usable && fill_id(entry, seen, id, location)) {
            return;
        }
    }
    // All places hold running regions: its samples will count as "fork not seen".
}

int location_of_region_id(uint64_t id) {
    IdEntry *entry = find_id(id);
    if (!entry) {
        return kNoRegion;
    }
    const int location = entry->location.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    return entry->id.load(std::memory_order_relaxed) == id ? location : kNoRegion;
}

void release_region_id(uint64_t id) {
    if (IdEntry *entry = find_id(id)) {
        entry->running.store(false, std::memory_order_relaxed);
    }
}

} // namespace ompcollect
