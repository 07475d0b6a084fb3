// SPDX-License-Identifier: Apache-2.0
//
// The kernel does not show bp; a walk goes on without it until a function
// is met that has saved it.
#include "sleeping_stacks.h"

#include "clocks.h"
#include "task_files.h"

#include <cstdlib>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constexpr size_t kCopySize = size_t{32} * 1024;
constinit char stack_copy[kCopySize] = {};
// Whose stack that is, since its registers were read; null: nobody's.
constinit const ThreadSlot *copied_slot = nullptr;
constinit size_t copied_size = 0;
constinit FrameList found_frames = {};

// From "number six-arguments sp pc" or "-1 sp pc"; leaves 0 where there is neither.
void read_registers(const char *text, ThreadSlot &slot) {
    const char *pc = strrchr(text, ' ');
    if (!pc || pc == text) {
        return;
    }
    const char *sp = pc;
    while (sp > text && sp[-1] != ' ') {
        --sp;
    }
    constexpr long kMostCalls = kCallOfFault;
    const long call = strtol(text, nullptr, 10);
    slot.sleep_call = call == -1                       ? kCallOfFault + 1
                      : call >= 0 && call < kMostCalls ? static_cast<uint32_t>(call) + 1
                                                       : 0;
    slot.sleep_pc = strtoull(pc, nullptr, 16);
    slot.sleep_sp = strtoull(sp, nullptr, 16);
}

bool copy_stack(const ThreadSlot &slot) {
    const uintptr_t sp = slot.sleep_sp;
    if (sp < slot.stack_low || sp >= slot.stack_high) {
        return false;
    }
    copied_slot = nullptr;
    copied_size = slot.stack_high - sp < kCopySize ? slot.stack_high - sp : kCopySize;
    const iovec to = {stack_copy, copied_size};
    const iovec from = {reinterpret_cast<void *>(sp), copied_size};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(copied_size)) {
        return false;
    }
    copied_slot = &slot;
    return true;
}

// Of a thread that sleeps. It is copied once, whatever is asked.
bool has_stack(const ThreadSlot &slot, StackMemory &memory) {
    if (slot.sleep_sp == 0 || (copied_slot != &slot && !copy_stack(slot))) {
        return false;
    }
    memory = {slot.sleep_sp, slot.sleep_sp + copied_size, stack_copy, true};
    return true;
}

CodeKind sleeping_code(const ThreadSlot &slot) {
    const CodeKind kind = kind_of_code(slot.sleep_pc);
    StackMemory memory;
    if (kind != CodeKind::kBase || !has_stack(slot, memory)) {
        return kind;
    }
    StackWalk walk({slot.sleep_pc, slot.sleep_sp, 0, false, nullptr}, memory, true);
    while (walk.has_frame() && walk.kind() == CodeKind::kBase) {
        walk.next();
    }
    return walk.has_frame() ? walk.kind() : CodeKind::kBase;
}

} // namespace

bool last_sampled(const ThreadSlot &slot, const SeenThread &seen, uint64_t since, uint32_t &node) {
    // What is read below is of then, or newer.
    const uint64_t ran = slot.last_ran_ns.load(std::memory_order_acquire);
    const uint32_t state = slot.last_state.load(std::memory_order_acquire);
    const uint64_t region = slot.last_region.load(std::memory_order_relaxed);
    const uint32_t found = slot.last_node.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    const bool is_it = state == seen.state && region == seen.region && ran >= since &&
                       slot.last_state.load(std::memory_order_relaxed) == state;
    node = is_it ? found : seen.node;
    return is_it;
}

Rest rest_of(ThreadSlot &slot, uint64_t ran) {
    char text[256];
    if (copied_slot == &slot) {
        copied_slot = nullptr;
    }
    slot.sleep_ran_ns = ran;
    slot.sleep_pc = 0;
    slot.sleep_sp = 0;
    slot.sleep_call = 0;
    slot.sleep_code_is_known = false;
    slot.is_ready = false;
    if (!read_task_file(slot.tid, TaskFile::kSyscall, text, sizeof text)) {
        return Rest::kNotKnown;
    }
    if (strncmp(text, "running", strlen("running")) == 0) {
        slot.is_ready = true;
        return Rest::kRunnable;
    }
    read_registers(text, slot);
    return Rest::kAsleep;
}

Rest rest_of_unmoved(ThreadSlot &slot, uint64_t ran) {
    if (slot.sleep_ran_ns != ran || (!slot.is_ready && slot.sleep_pc == 0)) {
        return rest_of(slot, ran);
    }
    return slot.is_ready ? Rest::kRunnable : Rest::kAsleep;
}

CodeKind resting_code(ThreadSlot &slot) {
    if (!slot.sleep_code_is_known) {
        slot.sleep_code = sleeping_code(slot);
        slot.sleep_code_is_known = true;
    }
    return slot.sleep_code;
}

uint32_t resting_node(ThreadSlot &slot, uint64_t ran, const SeenThread &seen,
                      const PathBase &base) {
    if (slot.rest_state == seen.state && slot.rest_region == seen.region &&
        slot.rest_ran_ns == ran) {
        return slot.rest_node; // it has not moved since
    }
    if (slot.sleep_ran_ns != ran) {
        rest_of(slot, ran);
    }
    StackMemory memory;
    uint32_t node = seen.node; // where there is no stack to read
    if (slot.sleep_pc == 0 || slot.sleep_sp == 0) {
        last_sampled(slot, seen, 0, node);
    } else if (has_stack(slot, memory)) {
        const Registers registers = {slot.sleep_pc, slot.sleep_sp, 0, false, nullptr};
        node = sleeping_node(slot, base, registers, memory, found_frames);
        if (found_frames.is_cut) {
            node = seen.node;
        } else if (node == kNoRow) {
            node = kNodeOutside;
        }
        if (clock_ns(slot.clock) != ran) {
            return seen.node; // it has woken up meanwhile
        }
    }
    slot.rest_state = seen.state;
    slot.rest_region = seen.region;
    slot.rest_ran_ns = ran;
    slot.rest_node = node;
    return node;
}

} // namespace ompcollect
