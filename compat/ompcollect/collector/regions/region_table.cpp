// SPDX-License-Identifier: Apache-2.0
#include "region_table.h"

#include "call_paths.h"
#include "call_tree.h"
#include "cells.h"
#include "fork_stacks.h"
#include "module_map.h"
#include "producer.h"
#include "region_ids.h"
#include "row_index.h"
#include "settings.h"
#include "sleeping_stacks.h"
#include "store.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace ompcollect {
namespace {

// The threads that have forked an outermost region, for good: a list of slots, each of which
// shows what runs. So no fork writes what another thread's fork writes.
constinit std::atomic<ThreadSlot *> masters{nullptr};

[[gnu::noinline]] void join_masters(ThreadSlot &slot) {
    slot.is_master = true;
    slot.next_master = masters.load(std::memory_order_relaxed);
    while (!masters.compare_exchange_weak(slot.next_master, &slot, std::memory_order_release)) {
    }
}

// kNodeOutside: none.
void set_outermost(ThreadSlot &slot, uint32_t node) {
    slot.outermost.store(node, std::memory_order_relaxed);
    if (!slot.is_master) [[unlikely]] {
        join_masters(slot);
    }
}

void record_innermost(ThreadSlot &slot) {
    const unsigned count = slot.running_count;
    slot.innermost.store(count != 0 ? slot.running[count - 1].node : kNodeOutside,
                         std::memory_order_relaxed);
}

void forget_top(ThreadSlot &slot) {
    const unsigned count = slot.running_count - 1;
    const RunningRegion &region = slot.running[count];
    slot.running_count = count;
    std::atomic_signal_fence(std::memory_order_seq_cst); // the handler looks at the list
    record_innermost(slot);
    if (region.outermost) {
        set_outermost(slot, kNodeOutside);
    }
    release_region_id(region.id);
}

// Or there is none.
inline bool is_innermost(const ThreadSlot &slot, uint64_t id) {
    const unsigned count = slot.running_count;
    return count == 0 || slot.running[count - 1].id == id;
}

// Regions of this thread whose JOIN never came (events were paused): all above the one with this
// id, all if the thread has none with it.
[[gnu::noinline]] void forget_all_above(ThreadSlot &slot, uint64_t id) {
    while (!is_innermost(slot, id)) {
        forget_top(slot);
    }
}
void forget_above(ThreadSlot &slot, uint64_t id) {
    if (!is_innermost(slot, id)) [[unlikely]] {
        forget_all_above(slot, id);
    }
}

[[gnu::noinline]] bool make_more_room(ThreadSlot &slot) {
    constexpr unsigned kNext = 64;
    const unsigned capacity = slot.running_capacity < kNext ? kNext : slot.running_capacity * 2;
    void *memory = mmap(nullptr, capacity * sizeof(RunningRegion), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    auto *const longer = static_cast<RunningRegion *>(memory);
    std::copy_n(static_cast<const RunningRegion *>(slot.running), slot.running_count, longer);
    // The list of before stays: the handler and the sampling thread may be looking at it.
    slot.running = longer;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    slot.running_capacity = capacity;
    return true;
}

inline bool make_room(ThreadSlot &slot) {
    return slot.running_count < slot.running_capacity || make_more_room(slot);
}

uint32_t parent_node(const ThreadSlot &slot, const RegionAnswer &answer) {
    if (answer.has_parent == 0) {
        return slot.running_count != 0 ? slot.running[slot.running_count - 1].node : kNoRow;
    }
    if (answer.parent_id == 0) {
        return kNoRow;
    }
    const uint32_t node = node_of_region_id(answer.parent_id);
    return node != kNodeUnknown ? node : kNoRow;
}

// Where the path to this fork begins: at the region around it, if that is known.
inline PathBase path_base(const ThreadSlot &slot, uint32_t parent, uint64_t parent_id) {
    PathBase base = {parent, 0};
    for (unsigned i = slot.running_count; i > 0 && parent_id != 0; --i) {
        if (slot.running[i - 1].id == parent_id) {
            base.fork_cfa = slot.running[i - 1].fork_cfa;
            break;
        }
    }
    return base;
}

bool is_of(const ForkMemory &memory, uintptr_t address, uint32_t parent) {
    return memory.address == address && memory.parent == parent && memory.entries &&
           memory.modules == module_generation();
}

// The node of a fork from `address` under `parent`, from the thread's memory where it is there.
const ForkMemory &look_up(ThreadSlot &slot, uintptr_t address, uint32_t parent) {
    ForkMemory(&ways)[ThreadSlot::kForkWays] =
        slot.forks[hash_of(address, parent) % ThreadSlot::kForkSets];
    for (const ForkMemory &memory : ways) {
        if (is_of(memory, address, parent)) {
            return memory;
        }
    }
    ForkMemory &memory = ways[slot.next_fork++ % ThreadSlot::kForkWays];
    memory.node = node_of(address, parent);
    memory.address = address;
    memory.parent = parent;
    memory.modules = module_generation();
    memory.entries = pseudo_cell(slot.number, memory.node, kEntriesState);
    return memory;
}

// The same, with the memory of its stack before that.
const ForkMemory &look_up(ThreadSlot &slot, uintptr_t address, const ForkPlace &place) {
    if (!place.memory) {
        return look_up(slot, address, place.node);
    }
    if (!is_of(*place.memory, address, place.node)) {
        *place.memory = look_up(slot, address, place.node);
    }
    return *place.memory;
}

void remember_or_count(uint64_t id, uint32_t node) {
    if (!remember_region_id(id, node)) [[unlikely]] {
        header().forgotten_regions.fetch_add(1, std::memory_order_relaxed);
    }
}

// What a new region is inside of.
struct Around {
    PathBase base;
    bool is_outermost;
};

[[gnu::noinline]] Around around_inner(ThreadSlot &slot, const RegionAnswer &answer) {
    if (answer.has_parent != 0) {
        forget_above(slot, answer.parent_id);
    }
    return {path_base(slot, parent_node(slot, answer), answer.parent_id),
            answer.has_parent != 0 ? answer.parent_id == 0 : slot.running_count == 0};
}

// Most are inside of none.
inline Around around(ThreadSlot &slot, const RegionAnswer &answer) {
    const bool is_plain = answer.has_parent != 0 && answer.parent_id == 0;
    return is_plain && slot.running_count == 0 ? Around{{kNoRow, 0}, true}
                                               : around_inner(slot, answer);
}

uint32_t enter_region(ThreadSlot &slot) {
    expect_stack(slot);
    RegionAnswer answer;
    ask_region(answer);
    expect_region_id(answer.id);
    const auto [base, outermost] = around(slot, answer);
    const auto reported = reinterpret_cast<uintptr_t>(answer.address);
    ForkPlace here;
    const ForkPlace *place = &here;
    if (current_settings.stacks != Stacks::kOff) [[likely]] {
        place = fork_place(slot, base, reported, here);
    } else {
        here = {base.node, 0, 0, nullptr};
    }
    const uintptr_t address = place->address != 0 ? place->address
                              : reported != 0     ? reported
                                                  : user_address(slot);
    const ForkMemory &memory = look_up(slot, address, *place);
    if (memory.entries) {
        add_to(memory.entries->on_samples, 1);
    }
    if (memory.node == kNodeUnknown) {
        return kNodeUnknown;
    }
    if (answer.id != 0) {
        remember_or_count(answer.id, memory.node);
    }
    if (make_room(slot)) [[likely]] {
        // One by one, where all of it would be made on the stack first.
        const unsigned count = slot.running_count;
        RunningRegion &running = slot.running[count];
        running.id = answer.id;
        running.node = memory.node;
        running.address = address;
        running.fork_cfa = place->cfa;
        running.outermost = outermost;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        slot.running_count = count + 1;
        slot.innermost.store(memory.node, std::memory_order_relaxed);
        if (outermost) {
            set_outermost(slot, memory.node);
        }
    }
    return memory.node;
}

uint32_t idle_node() {
    uint32_t found = kNodeOutside;
    for (const ThreadSlot *slot = masters.load(std::memory_order_acquire); slot;
         slot = slot->next_master) {
        const uint32_t node = slot->outermost.load(std::memory_order_relaxed);
        if (node == kNodeOutside) {
            continue;
        }
        if (found != kNodeOutside) {
            return kNodeSeveral;
        }
        found = node;
    }
    return found;
}

} // namespace

void region_begins(ThreadSlot &slot) {
    slot.in_fork.store(true, std::memory_order_relaxed);
    const uint32_t node = enter_region(slot);
    slot.in_fork.store(false, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (const uint64_t ns = slot.fork_ns.load(std::memory_order_relaxed); ns != 0) {
        slot.fork_ns.store(0, std::memory_order_relaxed);
        charge_on(slot.number, node, THR_OVHD_STATE, {ns, 1});
    }
}

void region_ends(ThreadSlot &slot) {
    const uint64_t id = ask_current_region();
    if (slot.running_count != 0 && is_innermost(slot, id)) [[likely]] {
        return forget_top(slot);
    }
    for (unsigned i = slot.running_count; i > 0; --i) {
        if (slot.running[i - 1].id == id) {
            forget_above(slot, id);
            forget_top(slot);
            return;
        }
    }
}

uint32_t node_for(uint64_t id, unsigned state) {
    if (id == 0) {
        return state == THR_IDLE_STATE ? idle_node() : kNodeOutside;
    }
    return node_of_region_id(id);
}

uint32_t node_of_thread(const ThreadSlot &slot, uint64_t id, unsigned state) {
    const uint32_t node = node_for(id, state);
    return node == kNodeUnknown && state == THR_OVHD_STATE
               ? slot.innermost.load(std::memory_order_relaxed)
               : node;
}

uint32_t node_of_sample(ThreadSlot &slot, uint64_t id, unsigned state, const void *context) {
    if (current_settings.stacks != Stacks::kFull || (id == 0 && state == THR_IDLE_STATE)) {
        return node_of_thread(slot, id, state);
    }
    const uint32_t region = id == 0 ? kNoRow : node_of_thread(slot, id, state);
    if (region == kNodeUnknown || region == kNodeOutside) {
        return region;
    }
    uint32_t node = interrupted_node(slot, path_base(slot, region, id), context);
    node = node != kNoRow ? node : kNodeOutside;
    slot.last_state.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release); // before what follows
    slot.last_region.store(id, std::memory_order_relaxed);
    slot.last_node.store(node, std::memory_order_relaxed);
    slot.last_state.store(state, std::memory_order_release);
    return node;
}

uint32_t node_of_resting(ThreadSlot &slot, uint64_t ran, uint64_t id, unsigned state) {
    const uint32_t region = node_of_thread(slot, id, state);
    if (current_settings.stacks != Stacks::kFull || region == kNodeUnknown ||
        (id == 0 && state == THR_IDLE_STATE)) {
        return region;
    }
    const PathBase base = path_base(slot, id == 0 ? kNoRow : region, id);
    return resting_node(slot, ran, {id, state, region}, base);
}

CodePlace place_here(ThreadSlot &slot, uint64_t id) {
    const uint32_t region = id == 0 ? kNoRow : node_of_thread(slot, id, THR_WORK_STATE);
    const bool is_known = region != kNodeUnknown && region != kNodeOutside;
    if (current_settings.stacks == Stacks::kOff || !is_known) {
        return {kNodeUnknown, location_of(user_address(slot), true)};
    }
    const CodePlace place = calling_place(slot, path_base(slot, region, id));
    return {place.node != kNoRow ? place.node : kNodeOutside, place.location};
}

void restart_regions() {
    masters.store(nullptr, std::memory_order_relaxed);
    restart_region_ids();
}

void resume_regions(ThreadSlot &slot) {
    PathBase base = {kNoRow, 0};
    for (unsigned i = 0; i < slot.running_count; ++i) {
        RunningRegion &region = slot.running[i];
        const bool has_path = current_settings.stacks != Stacks::kOff && region.fork_cfa != 0;
        const uint32_t holder = has_path ? standing_path(slot, base, region.fork_cfa) : base.node;
        region.node = node_of(region.address, holder);
        base = {region.node, region.fork_cfa};
        if (region.id != 0) {
            remember_or_count(region.id, region.node);
        }
        if (region.outermost) {
            set_outermost(slot, region.node);
        }
    }
}

} // namespace ompcollect
