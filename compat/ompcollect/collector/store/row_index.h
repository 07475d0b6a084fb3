// SPDX-License-Identifier: Apache-2.0
//
// Finds the row that has a key: an open hash table of row numbers, lock-free, grown by callbacks
// and by the sampling thread, never in a signal handler. A table that has been replaced stays, as
// somebody may still look into it. An insertion into a replaced table is lost: the key then gets a
// second row, and the reader of the file adds both.
#pragma once

#include "store.h"
#include "wake_up.h"

#include <atomic>
#include <cstdint>
#include <sys/mman.h>

namespace ompcollect {

inline uint32_t hash_of(uint64_t a, uint64_t b) {
    uint64_t hash = (a ^ (b * 0xc2b2ae3d27d4eb4fu)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
    return static_cast<uint32_t>((hash * 0xbf58476d1ce4e5b9u) >> 32);
}

// Of rows whose key is three words of theirs.
template <class RowOf, RowKind kKindOf, auto kFirst, auto kSecond, auto kThird> struct WordsTraits {
    struct Key {
        uint32_t first;
        uint32_t second;
        uint32_t third;
        bool operator==(const Key &) const = default;
    };
    using Row = RowOf;
    static constexpr RowKind kKind = kKindOf;
    static uint32_t hash(const Key &key) {
        return hash_of(uint64_t{key.first} << 32 | key.second, key.third);
    }
    static Key key_of(const Row &row) { return {row.*kFirst, row.*kSecond, row.*kThird}; }
    static void fill(Row &row, const Key &key) {
        row.*kFirst = key.first;
        row.*kSecond = key.second;
        row.*kThird = key.third;
    }
};

// Traits: Key, with ==; Row; kKind; hash(const Key &); key_of(const Row &); fill(Row &, const Key
// &).
template <class Traits> class RowIndex {
  public:
    using Key = typename Traits::Key;
    using Row = typename Traits::Row;

    // kNoRow if there is none. Async-signal-safe, as are the next two.
    [[nodiscard]] uint32_t find(const Key &key) const {
        const Table *table = table_.load(std::memory_order_acquire);
        if (!table) {
            return kNoRow;
        }
        for (uint32_t probe = 0; probe < kProbes; ++probe) {
            const uint32_t entry = table->entries[(Traits::hash(key) + probe) & table->mask].load(
                std::memory_order_acquire);
            if (entry == 0) {
                return kNoRow;
            }
            if (key_at(entry - 1) == key) {
                return entry - 1;
            }
        }
        return kNoRow;
    }

    // The row that has the key, a new one if there is none; kNoRow without room.
    uint32_t find_or_add(const Key &key) {
        const uint32_t found = find(key);
        if (found != kNoRow || !has_room(key)) {
            return found;
        }
        const uint32_t number = add_row(Traits::kKind);
        if (number == kNoRow) {
            return kNoRow;
        }
        Row *row = row_as<Row>(Traits::kKind, number);
        Traits::fill(*row, key);
        row->ready.store(1, std::memory_order_release);
        return insert(key, number);
    }

    // The same; null without room.
    Row *row_of(const Key &key) {
        const uint32_t number = find_or_add(key);
        return number != kNoRow ? row_as<Row>(Traits::kKind, number) : nullptr;
    }

    [[nodiscard]] bool wants_growth() const {
        const Table *table = table_.load(std::memory_order_acquire);
        return !table || count_.load(std::memory_order_relaxed) > most_in(*table);
    }

    // Not in a signal handler.
    void grow() {
        if (!wants_growth() || growing_.exchange(true, std::memory_order_acquire)) {
            return;
        }
        if (wants_growth()) {
            replace();
        }
        growing_.store(false, std::memory_order_release);
    }

    // In the child after fork(), where the rows are gone.
    void clear() {
        table_.store(nullptr, std::memory_order_relaxed);
        count_.store(0, std::memory_order_relaxed);
        growing_.store(false, std::memory_order_relaxed);
    }

  private:
    static constexpr uint32_t kProbes = 64;
    static constexpr uint32_t kFirstSize = 2048;

    struct Table {
        uint32_t mask;
        std::atomic<uint32_t> entries[1]; // row number + 1
    };

    // With more than these it is to grow.
    static uint32_t most_in(const Table &table) { return table.mask / 3; }

    // The row that has the key from here on: `number`, or another that was quicker; kNoRow without
    // room.
    uint32_t insert(const Key &key, uint32_t number) {
        Table *table = table_.load(std::memory_order_acquire);
        const uint32_t found = table ? insert_into(*table, key, number) : kNoRow;
        if (found == number && count_.fetch_add(1, std::memory_order_relaxed) == most_in(*table)) {
            wake_sampling_thread();
        }
        return found;
    }

    // Whether insert() will find a place, so that no row is made in vain.
    [[nodiscard]] bool has_room(const Key &key) const {
        const Table *table = table_.load(std::memory_order_acquire);
        for (uint32_t probe = 0; table && probe < kProbes; ++probe) {
            if (table->entries[(Traits::hash(key) + probe) & table->mask].load(
                    std::memory_order_relaxed) == 0) {
                return true;
            }
        }
        return false;
    }

    static Key key_at(uint32_t number) {
        return Traits::key_of(*row_as<Row>(Traits::kKind, number));
    }

    static uint32_t insert_into(Table &table, const Key &key, uint32_t number) {
        for (uint32_t probe = 0; probe < kProbes; ++probe) {
            std::atomic<uint32_t> &entry = table.entries[(Traits::hash(key) + probe) & table.mask];
            uint32_t seen = entry.load(std::memory_order_acquire);
            if (seen == 0 &&
                entry.compare_exchange_strong(seen, number + 1, std::memory_order_acq_rel)) {
                return number;
            }
            if (key_at(seen - 1) == key) {
                return seen - 1;
            }
        }
        return kNoRow;
    }

    void replace() {
        Table *old = table_.load(std::memory_order_relaxed);
        const uint32_t size = old ? (old->mask + 1) * 2 : kFirstSize;
        void *memory = mmap(nullptr, sizeof(Table) + size * sizeof(uint32_t),
                            PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            return;
        }
        auto *table = static_cast<Table *>(memory);
        table->mask = size - 1;
        for (uint32_t i = 0; old && i <= old->mask; ++i) {
            const uint32_t entry = old->entries[i].load(std::memory_order_acquire);
            if (entry != 0) {
                insert_into(*table, key_at(entry - 1), entry - 1);
            }
        }
        table_.store(table, std::memory_order_release);
    }

    std::atomic<Table *> table_{nullptr};
    std::atomic<uint32_t> count_{0};
    std::atomic<bool> growing_{false};
};

} // namespace ompcollect
