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

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ompcollect {

// What a walk begins with.
struct ForkKey {
    uintptr_t sp;
    uintptr_t address; // fork_place()'s `reported`
    uint64_t generation;
    PathBase base;
    uintptr_t bp;     // matters where SlotNotes need it
    PythonTop python; // of the thread's Python frames
};

inline constexpr size_t kLine = 64;    // of the cache
inline constexpr uint32_t kAtOnce = 4; // slots that are compared between two looks at their number

// The values that were read, their offsets, and where the Python frames were follow.
struct ForkStack {
    ForkStack *next; // of those with one hash: the one that was looked for last comes first
    ForkKey key;
    uint32_t slot_count;   // a multiple of kAtOnce: some of them stand there again
    uint32_t slots_end;    // from the key's sp
    uint32_t python_count; // Python frames that the place depends on
    bool uses_bp;
    bool is_own;          // the thread's own stack, which has all of it
    ForkStack *successor; // that was looked for after it
    ForkPlace place;
    ForkMemory memory;

    uintptr_t *values() { return reinterpret_cast<uintptr_t *>(this + 1); }
    uint32_t *offsets() { return reinterpret_cast<uint32_t *>(values() + slot_count); }
    PythonMark *python() { return reinterpret_cast<PythonMark *>(offsets() + slot_count); }
    static size_t size(uint32_t slots, uint32_t python = 0) {
        const size_t bytes = sizeof(ForkStack) + slots * (sizeof(uintptr_t) + sizeof(uint32_t)) +
                             python * sizeof(PythonMark);
        return (bytes + kLine - 1) / kLine * kLine;
    }
};

inline bool is_of(const ForkStack &stack, const ForkKey &key) {
    return stack.key.sp == key.sp && stack.key.address == key.address &&
           stack.key.base.node == key.base.node && stack.key.base.fork_cfa == key.base.fork_cfa &&
           stack.key.generation == key.generation &&
           stack.key.python.instruction == key.python.instruction &&
           (!stack.uses_bp || stack.key.bp == key.bp);
}

// `bytes`: where the key's sp is.
inline bool still_holds(ForkStack &stack, const char *bytes) {
    const uintptr_t *values = stack.values();
    const uintptr_t *const end = values + stack.slot_count;
    // Each fork looks at some twenty of them.
    for (const uint32_t *offsets = stack.offsets(); values != end;
         values += kAtOnce, offsets += kAtOnce) {
#pragma GCC unroll 4
        for (uint32_t i = 0; i < kAtOnce; ++i) {
            uintptr_t value = 0;
            memcpy(&value, bytes + offsets[i], sizeof value);
            if (value != values[i]) {
                return false;
            }
        }
    }
    return true;
}

inline bool still_holds_python(ForkStack &stack, const ForkKey &key) {
    return stack.python_count == 0 ||
           stands_as_before(key.python, stack.python(), stack.python_count);
}

inline bool still_holds(ForkStack &stack, const ForkKey &key, const StackMemory &memory) {
    return memory.high >= stack.key.sp + stack.slots_end &&
           still_holds(stack, memory.bytes + (stack.key.sp - memory.low)) &&
           still_holds_python(stack, key);
}

// What a walk has read, in the order of reading.
struct SlotNotes {
    static constexpr unsigned kMost = 96;
    uint32_t offsets[kMost]; // from the key's sp
    uintptr_t values[kMost];
    unsigned count = 0;
    bool uses_bp = false;
    const PythonInstruction *python = nullptr;
    unsigned python_count = 0;
};

// The place that a walk would find, if the stack is the thread's own, and that which came behind
// the last one before; else null. Valid as of recall_stack().
inline ForkPlace *recall_expected_stack(ThreadSlot &slot, const ForkKey &key) {
    ForkStack *const stack = slot.last_fork_stack ? slot.last_fork_stack->successor : nullptr;
    if (!stack || !is_of(*stack, key) || !stack->is_own) {
        return nullptr;
    }
    if (stack->memory.entries) {
        __builtin_prefetch(&stack->memory.entries->on_samples, 1);
    }
    if (!still_holds(*stack, reinterpret_cast<const char *>(key.sp)) ||
        !still_holds_python(*stack, key)) {
        return nullptr;
    }
    slot.last_fork_stack = stack;
    return &stack->place;
}

// The same of any stack. It is valid until the next call of keep_stack(). `memory` begins below the
// key's sp.
ForkPlace *recall_stack(ThreadSlot &slot, const ForkKey &key, const StackMemory &memory);

// Remembers a walk on the thread's own stack or another. Returns the place as it is kept; null
// where it is not.
ForkPlace *keep_stack(ThreadSlot &slot, const ForkKey &key, const SlotNotes &notes,
                      const ForkPlace &place, bool is_own);

// Some time before recall_stack(): has the processor fetch what that will most likely look at.
[[gnu::always_inline]] inline void expect_stack(const ThreadSlot &slot) {
    const ForkStack *const last = slot.last_fork_stack;
    if (!last || !last->successor) {
        return;
    }
    constexpr uint32_t kUsualSlots = 14;
    const char *const bytes = reinterpret_cast<const char *>(last->successor);
#pragma GCC unroll 16
    for (size_t at = 0; at < ForkStack::size(kUsualSlots); at += kLine) {
        __builtin_prefetch(bytes + at);
    }
}

// The slot has another thread, with another stack.
void forget_stacks(ThreadSlot &slot);

} // namespace ompcollect
