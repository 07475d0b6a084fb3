// SPDX-License-Identifier: Apache-2.0
//
// Programs repeat their forks in the order of before, and between two of them they have used the
// cache for themselves: each line that is looked at is a miss. So a stack knows which one came
// after it last, which is fetched ahead and looked at first; and what one look needs lies together.
#include "fork_stacks.h"

#include "row_index.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <sys/mman.h>

namespace ompcollect {

constexpr size_t kLine = 64;    // of the cache
constexpr uint32_t kAtOnce = 4; // slots that are compared between two looks at their number

// The values that were read and then their offsets follow.
struct ForkStack {
    ForkStack *next; // of those with one hash: the one that was looked for last comes first
    ForkKey key;
    uint32_t slot_count; // a multiple of kAtOnce: some of them stand there again
    uint32_t slots_end;  // from the key's sp
    bool uses_bp;
    ForkStack *successor; // that was looked for after it
    ForkPlace place;
    ForkMemory memory;

    uintptr_t *values() { return reinterpret_cast<uintptr_t *>(this + 1); }
    uint32_t *offsets() { return reinterpret_cast<uint32_t *>(values() + slot_count); }
    static size_t size(uint32_t slots) {
        const size_t bytes = sizeof(ForkStack) + slots * (sizeof(uintptr_t) + sizeof(uint32_t));
        return (bytes + kLine - 1) / kLine * kLine;
    }
};

// One piece of memory, used from its beginning. Once it is full, all is forgotten.
struct ForkStacks {
    static constexpr unsigned kChains = 1024;
    static constexpr size_t kRoom = size_t{1} << 20; // CP2K has 850 stacks in 0.5 MB
    size_t used;
    ForkStack *chains[kChains];
    alignas(kLine) char room[kRoom];
};

namespace {

// A function that calls itself has any number of stacks that differ far up alone.
constexpr unsigned kMostLooks = 16;

ForkStack *&chain_of(ForkStacks &stacks, const ForkKey &key) {
    return stacks.chains[hash_of(key.sp ^ key.address << 20, key.base.node ^ key.generation << 32) %
                         ForkStacks::kChains];
}

bool is_of(const ForkStack &stack, const ForkKey &key) {
    return stack.key.sp == key.sp && stack.key.address == key.address &&
           stack.key.base.node == key.base.node && stack.key.base.fork_cfa == key.base.fork_cfa &&
           stack.key.generation == key.generation && (!stack.uses_bp || stack.key.bp == key.bp);
}

bool still_holds(ForkStack &stack, const StackMemory &memory) {
    if (memory.high < stack.key.sp + stack.slots_end) {
        return false;
    }
    const char *const bytes = memory.bytes + (stack.key.sp - memory.low);
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

// Only where one is kept, the last one among them.
ForkStack *find(const ThreadSlot &slot, const ForkKey &key, const StackMemory &memory) {
    ForkStack *const expected = slot.last_fork_stack->successor;
    if (expected && is_of(*expected, key)) {
        if (expected->memory.entries) {
            __builtin_prefetch(&expected->memory.entries->on_samples, 1);
        }
        if (still_holds(*expected, memory)) {
            return expected;
        }
    }
    ForkStack *&first = chain_of(*slot.fork_stacks, key);
    ForkStack *before = nullptr;
    unsigned look = 0;
    for (ForkStack *stack = first; stack && look < kMostLooks; stack = stack->next, ++look) {
        if (stack != expected && is_of(*stack, key) && still_holds(*stack, memory)) {
            if (before) {
                before->next = stack->next;
                stack->next = first;
                first = stack;
            }
            return stack;
        }
        before = stack;
    }
    return nullptr;
}

void record_order(ThreadSlot &slot, ForkStack &now) {
    if (slot.last_fork_stack && slot.last_fork_stack->successor != &now) {
        slot.last_fork_stack->successor = &now;
    }
    slot.last_fork_stack = &now;
}

ForkStacks *stacks_of(ThreadSlot &slot) {
    if (!slot.fork_stacks) {
        void *memory = mmap(nullptr, sizeof(ForkStacks), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        slot.fork_stacks = memory != MAP_FAILED ? static_cast<ForkStacks *>(memory) : nullptr;
    }
    return slot.fork_stacks;
}

} // namespace

ForkPlace *recall_stack(ThreadSlot &slot, const ForkKey &key, const StackMemory &memory) {
    ForkStack *const stack = slot.last_fork_stack ? find(slot, key, memory) : nullptr;
    if (!stack) {
        return nullptr;
    }
    record_order(slot, *stack);
    return &stack->place;
}

ForkPlace *keep_stack(ThreadSlot &slot, const ForkKey &key, const SlotNotes &notes,
                      const ForkPlace &place) {
    ForkStacks *const stacks = stacks_of(slot);
    if (!stacks) {
        return nullptr;
    }
    const uint32_t count = (notes.count + kAtOnce - 1) / kAtOnce * kAtOnce;
    const size_t size = ForkStack::size(count);
    if (size > ForkStacks::kRoom - stacks->used) {
        forget_stacks(slot);
    }
    auto *const stack = reinterpret_cast<ForkStack *>(stacks->room + stacks->used);
    stacks->used += size;
    *stack = {};
    stack->key = key;
    stack->slot_count = count;
    for (unsigned i = 0; i < count; ++i) {
        const unsigned of = i % notes.count;
        stack->values()[i] = notes.values[of];
        stack->offsets()[i] = notes.offsets[of];
        const auto end = static_cast<uint32_t>(notes.offsets[of] + sizeof(uintptr_t));
        stack->slots_end = std::max(stack->slots_end, end);
    }
    stack->uses_bp = notes.uses_bp;
    stack->place = place;
    stack->place.memory = &stack->memory;
    ForkStack *&first = chain_of(*stacks, key);
    stack->next = first;
    first = stack;
    record_order(slot, *stack);
    return &stack->place;
}

void expect_stack(const ThreadSlot &slot) {
    const ForkStack *const last = slot.last_fork_stack;
    if (!last || !last->successor) {
        return;
    }
    constexpr uint32_t kUsualSlots = 30;
    const char *const bytes = reinterpret_cast<const char *>(last->successor);
#pragma GCC unroll 16
    for (size_t at = 0; at < ForkStack::size(kUsualSlots); at += kLine) {
        __builtin_prefetch(bytes + at);
    }
}

void forget_stacks(ThreadSlot &slot) {
    slot.last_fork_stack = nullptr;
    if (slot.fork_stacks) {
        memset(slot.fork_stacks->chains, 0, sizeof slot.fork_stacks->chains);
        // Not before: who leaves the callback in between must find nothing that is written over.
        std::atomic_signal_fence(std::memory_order_seq_cst);
        slot.fork_stacks->used = 0;
    }
}

} // namespace ompcollect
