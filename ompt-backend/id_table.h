// SPDX-License-Identifier: Apache-2.0
// Maps a runtime's ids, or addresses, to what the bridge keeps with a region or a task.
// Lock-free; find() is async-signal-safe.
//
// A hash table of lists, whose nodes are never removed. An id that ends leaves a free node, which
// the next id of the same list takes. So nodes never vanish under a reader, and memory is bounded
// by the ids that are alive at one time.
#pragma once

#include "base/pool.h"

#include <atomic>
#include <cstdint>

namespace ocb::ompt {

constexpr std::uint64_t kNoId = 0;
constexpr std::uint64_t kIdInWork = ~0ULL; // being entered; as an id of the runtime not kept

struct IdNode {
    std::atomic<std::uint64_t> id{kNoId};
    std::atomic<std::uint64_t> word{0}; // ours
    std::atomic<std::uint64_t> owner{0};
    IdNode *next = nullptr;
    IdNode *next_free = nullptr; // of the pool
};

template <unsigned kBits> class IdTable {
  public:
    // Null: not there.
    IdNode *find(std::uint64_t id) {
        for (IdNode *node = list_of(id).load(std::memory_order_acquire); node != nullptr;
             node = node->next) {
            if (node->id.load(std::memory_order_acquire) == id && id != kNoId) {
                return node;
            }
        }
        return nullptr;
    }

    // Null without memory, or for id 0. No other thread may insert the same id.
    IdNode *insert(std::uint64_t id, std::uint64_t owner) {
        if (id == kNoId || id == kIdInWork) {
            return nullptr;
        }
        std::atomic<IdNode *> &list = list_of(id);
        IdNode *node = find(id);
        for (IdNode *at = list.load(std::memory_order_acquire); node == nullptr && at != nullptr;
             at = at->next) {
            std::uint64_t expected = kNoId;
            if (at->id.load(std::memory_order_relaxed) == kNoId &&
                at->id.compare_exchange_strong(expected, kIdInWork, std::memory_order_acquire)) {
                node = at;
            }
        }
        if (node == nullptr && (node = add_to(list)) == nullptr) {
            return nullptr;
        }
        node->word.store(0, std::memory_order_relaxed);
        node->owner.store(owner, std::memory_order_relaxed);
        node->id.store(id, std::memory_order_release);
        return node;
    }

    void erase(IdNode &node) { node.id.store(kNoId, std::memory_order_release); }

    // In a forked child, whose runtime starts again: no id is alive.
    void clear_after_fork() {
        pool_.reset_lock_after_fork();
        for (std::atomic<IdNode *> &list : lists_) {
            for (IdNode *node = list.load(std::memory_order_relaxed); node != nullptr;
                 node = node->next) {
                erase(*node);
            }
        }
    }

  private:
    std::atomic<IdNode *> &list_of(std::uint64_t id) {
        constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;
        return lists_[id * kGolden >> (64 - kBits)];
    }

    IdNode *add_to(std::atomic<IdNode *> &list) {
        IdNode *node = pool_.take();
        if (node == nullptr) {
            return nullptr;
        }
        node->id.store(kIdInWork, std::memory_order_relaxed);
        node->next = list.load(std::memory_order_relaxed);
        while (!list.compare_exchange_weak(node->next, node, std::memory_order_release,
                                           std::memory_order_relaxed)) {
        }
        return node;
    }

    std::atomic<IdNode *> lists_[1U << kBits] = {};
    Pool<IdNode, 64> pool_;
};

} // namespace ocb::ompt
