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

void record_innermost(ThreadSlot &slot) {
    const unsigned count = slot.running_count;
    slot.innermost.store(count != 0 ? uint32_t{slot.running[count - 1].node} : kNodeOutside,
                         std::memory_order_relaxed);
}

void forget_top(ThreadSlot &slot) {
    const unsigned count = slot.running_count - 1;
    const RunningRegion &region = slot.running[count];
    slot.running_count = count;
    std::atomic_signal_fence(std::memory_order_seq_cst); // the handler looks at the list
    record_innermost(slot);
    if (region.outermost) {
        slot.outermost.store(kNodeOutside, std::memory_order_relaxed);
    }
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

uint32_t parent_node(const ThreadSlot &slot, bool has_parent, uint64_t parent_id) {
    if (!has_parent) {
        return slot.running_count != 0 ? uint32_t{slot.running[slot.running_count - 1].node}
                                       : kNoRow;
    }
    if (parent_id == 0) {
        return kNoRow;
    }
    const uint32_t node = node_of_region_id(parent_id);
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
    // One that is there holds as long as the stack.
    if (!place.memory->entries || place.address == 0) {
        *place.memory = look_up(slot, address, place.node);
    }
    return *place.memory;
}

// A fork's return address in the program, and the CFA of the frame that holds it.
struct CodeOfFork {
    uintptr_t address;
    uintptr_t cfa;
};

// What a new region is inside of.
PathBase base_of(ThreadSlot &slot, bool has_parent, uint64_t parent_id) {
    if (has_parent) {
        forget_above(slot, parent_id);
    }
    return path_base(slot, parent_node(slot, has_parent, parent_id), parent_id);
}

// The producer's fast path, or else its answers to requests.
inline RegionAnswer forked_region(const ThreadSlot &slot) {
    const omp_collector_bridge_fork *const fork = slot.fork;
    return fork ? RegionAnswer{fork->id, fork->region->parent_id, 1, fork->region->address}
                : ask_region();
}
inline uint64_t joined_region(const ThreadSlot &slot) {
    return slot.fork ? slot.fork->id : ask_current_region();
}

inline void enter_node(ThreadSlot &slot, uint64_t id, uint32_t node, bool is_outermost) {
    if (id != 0) {
        remember_region_id(slot, id, node);
    }
    slot.innermost.store(node, std::memory_order_relaxed);
    if (is_outermost) {
        slot.outermost.store(node, std::memory_order_relaxed);
    }
}

// There is room for it.
inline void push_region(ThreadSlot &slot, uint64_t id, uint32_t node, const CodeOfFork &code,
                        bool is_outermost) {
    // One by one, where all of it would be made on the stack first.
    const unsigned count = slot.running_count;
    RunningRegion &running = slot.running[count];
    running.id = id;
    running.node = node;
    running.address = code.address;
    running.fork_cfa = code.cfa;
    running.outermost = is_outermost;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    slot.running_count = count + 1;
    enter_node(slot, id, node, is_outermost);
}

// Most forks come in no region, from where the program has called, on the stack that came next the
// last time: true. Apart from all others, so that it saves no registers.
inline bool enters_as_before(ThreadSlot &slot) {
    const omp_collector_bridge_fork *const fork = slot.fork;
    if (!fork || !fork->call || fork->region->parent_id != 0 || slot.running_count != 0 ||
        !slot.is_master) {
        return false;
    }
    const ForkStart start = start_behind(fork->call);
    const ForkPlace *const place = recall_expected_stack(slot, {start.sp,
                                                                start.pc,
                                                                code_generation(),
                                                                {kNoRow, 0},
                                                                start.bp,
                                                                top_of_python(slot.python_state)});
    if (!place || place->address == 0 || !place->memory->entries ||
        place->memory->node == kNodeUnknown) {
        return false;
    }
    add_to(slot.row->fork_stacks, 1);
    add_to(place->memory->entries->on_samples, 1);
    push_region(slot, fork->id, place->memory->node, {place->address, place->cfa}, true);
    return true;
}

[[gnu::noinline]] uint32_t enter_region(ThreadSlot &slot) {
    const RegionAnswer answer = forked_region(slot);
    const bool has_parent = answer.has_parent != 0;
    const PathBase base = base_of(slot, has_parent, answer.parent_id);
    const bool outermost = has_parent ? answer.parent_id == 0 : slot.running_count == 0;
    const auto reported = reinterpret_cast<uintptr_t>(answer.address);
    ForkPlace here;
    const ForkPlace *place = &here;
    if (current_settings.stacks != Stacks::kOff) {
        add_to(slot.row->fork_stacks, 1);
        const uintptr_t *const call = slot.fork ? slot.fork->call : nullptr;
        place = call ? fork_place_behind(slot, base, call, here)
                     : fork_place(slot, base, reported, here);
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
    if (make_room(slot)) {
        push_region(slot, answer.id, memory.node, {address, place->cfa}, outermost);
        return memory.node;
    }
    header().forgotten_regions.fetch_add(1, std::memory_order_relaxed);
    if (answer.id != 0) {
        remember_region_id(slot, answer.id, memory.node);
    }
    return memory.node;
}

uint32_t idle_node() {
    uint32_t found = kNodeOutside;
    for (const ThreadSlot *slot = first_master(); slot; slot = slot->next_master) {
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

// Samples that came while the region had no node yet have its node.
[[gnu::noinline]] void charge_fork(ThreadSlot &slot, uint32_t node) {
    const uint64_t ns = slot.fork_ns.load(std::memory_order_relaxed);
    slot.fork_ns.store(0, std::memory_order_relaxed);
    charge_on(slot.number, node, THR_OVHD_STATE, {ns, 1});
}

inline void end_fork(ThreadSlot &slot, uint32_t node) {
    slot.in_fork.store(false, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (slot.fork_ns.load(std::memory_order_relaxed) != 0) [[unlikely]] {
        charge_fork(slot, node);
    }
}

[[gnu::noinline]] void region_begins_on_slow_path(ThreadSlot &slot) {
    end_fork(slot, enter_region(slot));
}

} // namespace

void region_begins(ThreadSlot &slot) {
    slot.in_fork.store(true, std::memory_order_relaxed);
    expect_stack(slot);
    if (!enters_as_before(slot)) {
        return region_begins_on_slow_path(slot);
    }
    end_fork(slot, slot.innermost.load(std::memory_order_relaxed));
}

void region_ends(ThreadSlot &slot) {
    const uint64_t id = joined_region(slot);
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

bool any_region_runs() {
    return idle_node() != kNodeOutside;
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

uint32_t node_of_sleeper(ThreadSlot &slot, uint64_t ran, uint64_t id, unsigned state) {
    const uint32_t region = node_of_thread(slot, id, state);
    if (current_settings.stacks != Stacks::kFull || region == kNodeUnknown ||
        (id == 0 && state == THR_IDLE_STATE)) {
        return region;
    }
    const PathBase base = path_base(slot, id == 0 ? kNoRow : region, id);
    return cached_sleeping_node(slot, ran, {id, state, region}, base);
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
        enter_node(slot, region.id, region.node, region.outermost);
    }
}

} // namespace ompcollect
