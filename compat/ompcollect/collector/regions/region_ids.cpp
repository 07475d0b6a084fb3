// SPDX-License-Identifier: Apache-2.0
#include "region_ids.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constinit std::atomic<ThreadSlot *> masters{nullptr};

uint32_t node_of_recent(const ThreadSlot &slot, uint64_t id) {
    const uint64_t word =
        slot.recent_regions[id % ThreadSlot::kRecentRegions].load(std::memory_order_acquire);
    const auto node = static_cast<uint32_t>(word);
    return word == recent_word(id, node) ? node : kNodeUnknown;
}

// One that runs so long that its thread has forked many others inside of it.
uint32_t node_of_running(const ThreadSlot &slot, uint64_t id) {
    const unsigned count = slot.running_count;
    const RunningRegion *const running = slot.running;
    for (unsigned i = 0; i < count; ++i) {
        if (running[i].id != id) {
            continue;
        }
        const uint32_t node = running[i].node;
        if (running[i].id == id) {
            return node;
        }
    }
    return kNodeUnknown;
}

} // namespace

constinit Prepare at_second_master = nullptr;

ThreadSlot *first_master() {
    return masters.load(std::memory_order_acquire);
}

__attribute__((noinline)) void join_masters(ThreadSlot &slot) {
    slot.is_master = true;
    slot.next_master = masters.load(std::memory_order_relaxed);
    while (!masters.compare_exchange_weak(slot.next_master, &slot, std::memory_order_release)) {
    }
    if (slot.next_master && at_second_master) {
        at_second_master();
    }
}

uint32_t node_of_region_id(uint64_t id) {
    for (const ThreadSlot *slot = first_master(); slot; slot = slot->next_master) {
        uint32_t node = node_of_recent(*slot, id);
        if (node == kNodeUnknown) {
            node = node_of_running(*slot, id);
        }
        if (node != kNodeUnknown) {
            return node;
        }
    }
    return kNodeUnknown;
}

bool others_fork(const ThreadSlot *own) {
    for (const ThreadSlot *slot = first_master(); slot; slot = slot->next_master) {
        const int tid = slot->tid;
        if (slot != own && syscall(SYS_tgkill, getpid(), tid, 0) == 0) {
            return true;
        }
    }
    return false;
}

void restart_region_ids() {
    masters.store(nullptr, std::memory_order_relaxed);
}

} // namespace ompcollect
