// SPDX-License-Identifier: Apache-2.0
//
// A stack at FORK is the same as one before if the return addresses that the walk
// read then still stand where it read them. So they are remembered, and read again in place of a
// walk.
#include "call_paths.h"

#include "call_tree.h"
#include "cells.h"
#include "row_index.h"

#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

namespace ompcollect {

// Where a walk of FORK has read, and what it came to.
struct ForkStack {
    static constexpr unsigned kMostSlots = 96;
    uintptr_t sp;
    uintptr_t bp; // that the walk began with, where it mattered
    uintptr_t told;
    uint64_t generation;
    PathBase base;
    ForkPlace place;
    ForkMemory memory;
    unsigned slot_count;
    bool uses_bp;
    uint32_t offsets[kMostSlots]; // from sp
    uintptr_t values[kMostSlots];
};

// A set has what is alike before the walk: forks in functions of one depth have the stack pointer
// in common, so the address of the fork belongs to it. Tags lie together, as most comparisons fail.
struct ForkStacks {
    static constexpr unsigned kSets = 64;
    static constexpr unsigned kWays = 8;
    uint32_t tags[kSets][kWays]; // 0: not in use
    unsigned next[kSets];
    ForkStack stacks[kSets][kWays];
};

namespace {

bool is_at_root(const PathBase &base) {
    return base.node == kNoRow;
}

// False: the path's beginning is reached.
bool take_frame(const ThreadSlot &slot, const PathBase &base, const StackWalk &walk,
                FrameList &frames) {
    if (walk.kind() == CodeKind::kOwn || walk.kind() == CodeKind::kRuntime) {
        if (frames.count == frames.base_run) {
            frames.count = 0; // the C library's functions were called by the runtime
            frames.base_run = 0;
        }
        return walk.kind() == CodeKind::kOwn || is_at_root(base) || frames.count == 0;
    }
    // A handler's frames may lie on a stack of their own, which says nothing about the order.
    if (base.fork_cfa != 0 && walk.cfa() >= base.fork_cfa && walk.cfa() <= slot.stack_high) {
        return false;
    }
    if (walk.is_first_frame()) {
        return true; // _start or clone
    }
    if (frames.count == FrameList::kMost) {
        frames.is_cut = true;
        return false;
    }
    frames.locations[frames.count++] = walk.location();
    frames.base_run = walk.kind() == CodeKind::kBase ? frames.base_run + 1 : 0;
    return true;
}

// After the walk: what called main() or the thread's function goes.
void drop_base(const StackWalk &walk, FrameList &frames) {
    if (walk.is_whole()) {
        frames.count -= frames.base_run;
    }
}

uint32_t hang(const FrameList &frames, const PathBase &base) {
    uint32_t node = base.node;
    if (frames.is_cut) {
        const uint32_t cut = child_node(kNoRow, node, NodeKind::kCut);
        node = cut != kNoRow ? cut : node;
    }
    for (unsigned i = frames.count; i > 0; --i) {
        const uint32_t child = child_node(frames.locations[i - 1], node, NodeKind::kFrame);
        if (child == kNoRow) {
            break; // no room: the time is its caller's
        }
        node = child;
    }
    return node;
}

// True if it went to where the path begins.
bool follow(const ThreadSlot &slot, const PathBase &base, StackWalk &walk, FrameList &frames) {
    frames.count = 0;
    frames.base_run = 0;
    frames.is_cut = false;
    while (walk.has_frame()) {
        if (!take_frame(slot, base, walk, frames)) {
            return !frames.is_cut;
        }
        walk.next();
    }
    drop_base(walk, frames);
    frames.is_cut = !walk.is_whole();
    return walk.is_whole();
}

StackMemory own_memory(const ThreadSlot &slot, uintptr_t sp) {
    constexpr uintptr_t kRedZone = 128;
    if (sp < slot.stack_low || sp >= slot.stack_high) {
        return {0, 0, nullptr, true}; // another stack: a handler's, a coroutine's
    }
    const uintptr_t low = sp - kRedZone;
    return {low, slot.stack_high, reinterpret_cast<const char *>(low), true};
}

bool still_holds(const ForkStack &stack) {
    for (unsigned i = 0; i < stack.slot_count; ++i) {
        uintptr_t value = 0;
        memcpy(&value, reinterpret_cast<const void *>(stack.sp + stack.offsets[i]), sizeof value);
        if (value != stack.values[i]) {
            return false;
        }
    }
    return true;
}

struct StackKey {
    Registers registers;
    PathBase base;
    uintptr_t told;
    uint64_t generation;

    [[nodiscard]] uint32_t hash() const {
        return hash_of(registers.sp ^ told << 20, base.node ^ generation << 32);
    }
    [[nodiscard]] unsigned set() const { return hash() % ForkStacks::kSets; }
    [[nodiscard]] uint32_t tag() const { return hash() | 1; }

    [[nodiscard]] bool is_of(const ForkStack &stack) const {
        return stack.sp == registers.sp && stack.told == told && stack.base.node == base.node &&
               stack.base.fork_cfa == base.fork_cfa && stack.generation == generation &&
               (!stack.uses_bp || stack.bp == registers.bp);
    }
};

const ForkStack *recall(const ForkStacks &stacks, const StackKey &key) {
    const unsigned set = key.set();
    const uint32_t tag = key.tag();
    for (unsigned way = 0; way < ForkStacks::kWays; ++way) {
        const ForkStack &stack = stacks.stacks[set][way];
        if (stacks.tags[set][way] == tag && key.is_of(stack) && still_holds(stack)) {
            return &stack;
        }
    }
    return nullptr;
}

// The way whose turn it is; it has no tag yet.
uint32_t &take_way(ForkStacks &stacks, const StackKey &key, ForkStack *&stack) {
    const unsigned set = key.set();
    const unsigned way = stacks.next[set]++ % ForkStacks::kWays;
    stack = &stacks.stacks[set][way];
    stacks.tags[set][way] = 0;
    return stacks.tags[set][way];
}

// What has been loaded since, before a walk. Not in a signal handler.
void learn_new_code() {
    refresh_modules_if_changed();
    add_module_rows();
    grow_call_tree();
}

ForkStacks *stacks_of(ThreadSlot &slot) {
    if (!slot.fork_stacks) {
        void *memory = mmap(nullptr, sizeof(ForkStacks), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        slot.fork_stacks = memory != MAP_FAILED ? static_cast<ForkStacks *>(memory) : nullptr;
    }
    return slot.fork_stacks;
}

// False: the slot lies outside of what may be read again without care.
bool note_slot(ForkStack &to, const ThreadSlot &slot, uintptr_t address) {
    if (address == 0) {
        return true;
    }
    if (to.slot_count == ForkStack::kMostSlots || address < to.sp || address >= slot.stack_high) {
        return false;
    }
    to.offsets[to.slot_count] = static_cast<uint32_t>(address - to.sp);
    memcpy(&to.values[to.slot_count++], reinterpret_cast<const void *>(address), sizeof(uintptr_t));
    return true;
}

// Walks, notes where it has read into `to`, and finds the place. False: not to be remembered.
bool walk_to_fork(ThreadSlot &slot, const PathBase &base, const Registers &now, ForkStack &to) {
    StackWalk walk(now, own_memory(slot, now.sp), true);
    FrameList &frames = slot.fork_frames;
    frames = {};
    bool is_good = now.sp >= slot.stack_low && now.sp < slot.stack_high;
    bool is_reached = false;
    while (walk.has_frame()) {
        const unsigned before = frames.count;
        is_reached = !take_frame(slot, base, walk, frames);
        to.uses_bp = to.uses_bp || walk.used_first_base();
        is_good = is_good && note_slot(to, slot, walk.base_slot());
        for (const uintptr_t address : walk.other_slots()) {
            is_good = is_good && note_slot(to, slot, address);
        }
        if (is_reached) {
            break;
        }
        if (before == 0 && frames.count != 0) {
            to.place.address = walk.pc();
            to.place.cfa = walk.cfa();
        }
        walk.next();
        is_good = is_good && (!walk.has_frame() || note_slot(to, slot, walk.return_slot()));
    }
    if (!is_reached) {
        drop_base(walk, frames);
        frames.is_cut = !walk.is_whole();
    }
    to.place.node = hang(frames, base);
    return is_good && walk.is_repeatable();
}

// Where the dynamic linker has found the stack of the first thread; 0: it does not tell.
uintptr_t first_stack_end() {
    void *end = dlsym(RTLD_DEFAULT, "__libc_stack_end");
    return end ? *static_cast<const uintptr_t *>(end) : 0;
}

} // namespace

void learn_stack_bounds(ThreadSlot &slot) {
    slot.stack_low = 0;
    slot.stack_high = 0;
    if (slot.tid == getpid()) {
        constexpr uintptr_t kMost = uintptr_t{1} << 30;
        struct rlimit limit = {};
        const bool is_limited =
            getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < kMost && limit.rlim_cur != 0;
        slot.stack_high = first_stack_end();
        const uintptr_t size = is_limited ? limit.rlim_cur : kMost;
        slot.stack_low = slot.stack_high > size ? slot.stack_high - size : 0;
        return;
    }
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return;
    }
    void *low = nullptr;
    size_t size = 0;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
        slot.stack_low = reinterpret_cast<uintptr_t>(low);
        slot.stack_high = slot.stack_low + size;
    }
    pthread_attr_destroy(&attributes);
}

__attribute__((noinline)) ForkPlace fork_place(ThreadSlot &slot, const PathBase &base,
                                               uintptr_t told) {
    StackKey key = {{}, base, told, code_generation()};
    OMPCOLLECT_REGISTERS_HERE(key.registers);
    add_to(slot.row->fork_stacks, 1);
    ForkStacks *stacks = stacks_of(slot);
    if (stacks) {
        if (const ForkStack *known = recall(*stacks, key)) {
            return known->place;
        }
    }
    add_to(slot.row->fork_walks, 1);
    // Modules that have come since: their rows are made here, where that is allowed.
    learn_new_code();
    key.generation = code_generation();
    ForkStack nowhere;
    ForkStack *to = &nowhere;
    uint32_t unused = 0;
    uint32_t &tag = stacks ? take_way(*stacks, key, to) : unused;
    to->sp = key.registers.sp;
    to->bp = key.registers.bp;
    to->told = told;
    to->generation = key.generation;
    to->base = base;
    to->place = {kNoRow, 0, 0, nullptr};
    to->memory = {};
    to->slot_count = 0;
    to->uses_bp = false;
    if (walk_to_fork(slot, base, key.registers, *to) && stacks) {
        to->place.memory = &to->memory;
        tag = key.tag();
    }
    return to->place;
}

__attribute__((noinline)) uint32_t standing_path(ThreadSlot &slot, const PathBase &base,
                                                 uintptr_t fork_cfa) {
    learn_new_code();
    Registers now;
    OMPCOLLECT_REGISTERS_HERE(now);
    StackWalk walk(now, own_memory(slot, now.sp), true);
    FrameList &frames = slot.fork_frames;
    frames = {};
    bool is_reached = false;
    for (; walk.has_frame() && !is_reached; walk.next()) {
        is_reached = walk.cfa() >= fork_cfa && !take_frame(slot, base, walk, frames);
    }
    if (!is_reached) {
        drop_base(walk, frames);
        frames.is_cut = !walk.is_whole();
    }
    return hang(frames, base);
}

__attribute__((noinline)) CodePlace calling_place(ThreadSlot &slot, const PathBase &base) {
    learn_new_code();
    Registers now;
    OMPCOLLECT_REGISTERS_HERE(now);
    StackWalk walk(now, own_memory(slot, now.sp), true);
    follow(slot, base, walk, slot.fork_frames);
    const uint32_t node = hang(slot.fork_frames, base);
    return {node, slot.fork_frames.count != 0 ? slot.fork_frames.locations[0] : kNoRow};
}

uint32_t interrupted_node(ThreadSlot &slot, const PathBase &base, const void *context) {
    const auto &registers = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
    const Registers now = {static_cast<uintptr_t>(registers[REG_RIP]),
                           static_cast<uintptr_t>(registers[REG_RSP]),
                           static_cast<uintptr_t>(registers[REG_RBP]), true, registers};
    StackWalk walk(now, own_memory(slot, now.sp), true);
    add_to(slot.row->walks, 1);
    if (!follow(slot, base, walk, slot.frames)) {
        add_to(slot.row->cut_walks, 1);
    }
    return hang(slot.frames, base);
}

uint32_t sleeping_node(const ThreadSlot &slot, const PathBase &base, const Registers &registers,
                       const StackMemory &memory, FrameList &frames) {
    StackWalk walk(registers, memory, true);
    return follow(slot, base, walk, frames) ? hang(frames, base) : base.node;
}

} // namespace ompcollect
