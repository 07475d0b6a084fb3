// SPDX-License-Identifier: Apache-2.0
//
// A cache of one thread's FORK stacks. An entry is valid while each stack word that its walk read
// is unchanged. So the words are remembered, and compared in place of a walk.
//
// Thread rule: of the slot's thread alone, in callbacks of FORK. A callback may be left by longjmp
// at any point; the bridge reports no FORK inside of one.
#pragma once

#include "fork_place.h"
#include "stack_walk.h"
#include "thread_slots.h"

#include <cstdint>

namespace ompcollect {

// What a walk begins with.
struct ForkKey {
    uintptr_t sp;
    uintptr_t address; // fork_place()'s `reported`
    uint64_t generation;
    PathBase base;
    uintptr_t bp; // matters where SlotNotes need it
};

// What a walk has read, in the order of reading.
struct SlotNotes {
    static constexpr unsigned kMost = 96;
    uint32_t offsets[kMost]; // from the key's sp
    uintptr_t values[kMost];
    unsigned count = 0;
    bool uses_bp = false;
};

// The place that a walk would find; null where that is not known. It is valid until the next call
// of keep_stack(). `memory` begins below the key's sp.
ForkPlace *recall_stack(ThreadSlot &slot, const ForkKey &key, const StackMemory &memory);

// Remembers a walk. Returns the place as it is kept; null where it is not.
ForkPlace *keep_stack(ThreadSlot &slot, const ForkKey &key, const SlotNotes &notes,
                      const ForkPlace &place);

// Some time before recall_stack(): has the processor fetch what that will most likely look at.
void expect_stack(const ThreadSlot &slot);

// The slot has another thread, with another stack.
void forget_stacks(ThreadSlot &slot);

} // namespace ompcollect
