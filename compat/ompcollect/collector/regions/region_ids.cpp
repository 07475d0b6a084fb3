// SPDX-License-Identifier: Apache-2.0
#include "region_ids.h"

#include "profile_file.h"

#include <atomic>
#include <cstddef>
#include <sys/mman.h>

namespace ompcollect {
namespace {

// An id sits in one of kProbes places behind its hash. Producers count ids up, so that neighbours
// are the rule: the id itself is the hash, each with places of its own.
constexpr unsigned kProbes = 8;
constexpr uint64_t kFirstSize = 128; // ids pass through it one after the other, and it is cached
constexpr uint64_t kLargest = 1 << 24;
constexpr uint64_t kBusy = ~uint64_t{0};

struct Entry {
    std::atomic<uint64_t> id; // 0: free
    std::atomic<uint32_t> node;
    std::atomic<uint32_t> running;
};

struct Table {
    uint64_t mask;
    Entry *entries;
    Table *older;
};

constinit Entry first_entries[kFirstSize] = {};
constinit Table first_table = {kFirstSize - 1, first_entries, nullptr};
constinit std::atomic<Table *> current_table{&first_table};

Entry &entry_of(const Table &table, uint64_t id, unsigned probe) {
    return table.entries[(id * kProbes / 4 + probe) & table.mask];
}

bool fill(Entry &entry, uint64_t seen, uint64_t id, uint32_t node) {
    if (!entry.id.compare_exchange_strong(seen, kBusy, std::memory_order_acquire)) {
        return false;
    }
    // Who reads the new node of the old id finds the id gone when he looks again.
    std::atomic_thread_fence(std::memory_order_release);
    entry.node.store(node, std::memory_order_relaxed);
    entry.running.store(1, std::memory_order_relaxed);
    entry.id.store(id, std::memory_order_release);
    return true;
}

Entry *find(const Table &table, uint64_t id) {
    for (unsigned probe = 0; probe < kProbes; ++probe) {
        Entry &entry = entry_of(table, id, probe);
        if (entry.id.load(std::memory_order_acquire) == id) {
            return &entry;
        }
    }
    return nullptr;
}

inline bool fill_if_usable(Entry &entry, uint64_t id, uint32_t node) {
    const uint64_t seen = entry.id.load(std::memory_order_acquire);
    const bool usable = seen == 0 || seen == id ||
                        (seen != kBusy && entry.running.load(std::memory_order_relaxed) == 0);
    return usable && fill(entry, seen, id, node);
}

bool remember_in(const Table &table, uint64_t id, uint32_t node) {
    for (unsigned probe = 0; probe < kProbes; ++probe) {
        if (fill_if_usable(entry_of(table, id, probe), id, node)) {
            return true;
        }
    }
    return false;
}

// Regions of before stay in the older tables, where they are found too. Nobody waits for another
// thread, which may have no processor: of two that grow the same table one drops its own.
bool grow(Table *full) {
    if (full->mask + 1 >= kLargest) {
        return false;
    }
    const uint64_t size = (full->mask + 1) * 4;
    const std::size_t bytes = sizeof(Table) + size * sizeof(Entry);
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    auto *entries = static_cast<Entry *>(memory);
    auto *table = reinterpret_cast<Table *>(entries + size);
    *table = {size - 1, entries, full};
    if (!current_table.compare_exchange_strong(full, table, std::memory_order_release,
                                               std::memory_order_relaxed)) {
        munmap(memory, bytes);
    }
    return true;
}

__attribute__((noinline)) bool remember_anywhere(uint64_t id, uint32_t node) {
    for (;;) {
        Table *table = current_table.load(std::memory_order_acquire);
        if (remember_in(*table, id, node)) {
            return true;
        }
        if (!grow(table)) {
            return false;
        }
    }
}

} // namespace

// Mostly the id's first place is free.
bool remember_region_id(uint64_t id, uint32_t node) {
    return fill_if_usable(entry_of(*current_table.load(std::memory_order_acquire), id, 0), id,
                          node) ||
           remember_anywhere(id, node);
}

void expect_region_id(uint64_t id) {
    __builtin_prefetch(&entry_of(*current_table.load(std::memory_order_acquire), id, 0), 1);
}

uint32_t node_of_region_id(uint64_t id) {
    for (const Table *table = current_table.load(std::memory_order_acquire); table;
         table = table->older) {
        const Entry *entry = find(*table, id);
        if (!entry) {
            continue;
        }
        const uint32_t node = entry->node.load(std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_acquire);
        if (entry->id.load(std::memory_order_relaxed) == id) {
            return node;
        }
    }
    return kNodeUnknown;
}

// Mostly it is in its first place.
void release_region_id(uint64_t id) {
    Entry &first = entry_of(*current_table.load(std::memory_order_acquire), id, 0);
    if (first.id.load(std::memory_order_relaxed) == id) [[likely]] {
        first.running.store(0, std::memory_order_relaxed);
        return;
    }
    for (const Table *table = current_table.load(std::memory_order_acquire); table;
         table = table->older) {
        if (Entry *entry = find(*table, id)) {
            entry->running.store(0, std::memory_order_relaxed);
            return;
        }
    }
}

void restart_region_ids() {
    current_table.store(&first_table, std::memory_order_relaxed);
    for (Entry &entry : first_entries) {
        entry.id.store(0, std::memory_order_relaxed);
    }
}

} // namespace ompcollect
