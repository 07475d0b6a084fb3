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
    return stacks.chains[hash_of(key.sp ^ key.address << 20 ^ key.python.instruction << 4,
                                 key.base.node ^ key.generation << 32) %
                         ForkStacks::kChains];
}

// Only where one is kept, the last one among them.
ForkStack *find(const ThreadSlot &slot, const ForkKey &key, const StackMemory &memory) {
    ForkStack *&first = chain_of(*slot.fork_stacks, key);
    ForkStack *before = nullptr;
    unsigned look = 0;
    for (ForkStack *stack = first; stack && look < kMostLooks; stack = stack->next, ++look) {
        if (is_of(*stack, key) && still_holds(*stack, key, memory)) {
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
                      const ForkPlace &place, bool is_own) {
    ForkStacks *const stacks = stacks_of(slot);
    if (!stacks) {
        return nullptr;
    }
    const uint32_t count = (notes.count + kAtOnce - 1) / kAtOnce * kAtOnce;
    const size_t size = ForkStack::size(count, notes.python_count);
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
    stack->python_count = notes.python_count;
    for (unsigned i = 0; i < notes.python_count; ++i) {
        stack->python()[i] = mark_of(notes.python[i]);
    }
    stack->uses_bp = notes.uses_bp;
    stack->is_own = is_own;
    stack->place = place;
    stack->place.memory = &stack->memory;
    ForkStack *&first = chain_of(*stacks, key);
    stack->next = first;
    first = stack;
    record_order(slot, *stack);
    return &stack->place;
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
