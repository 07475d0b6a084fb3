// SPDX-License-Identifier: Apache-2.0
//
// The kernel does not show bp; a walk goes on without it until a function
// is met that has saved it.
#include "sleeping_stacks.h"

#include "clocks.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constexpr size_t kCopySize = size_t{32} * 1024;
constinit char stack_copy[kCopySize] = {};
constinit FrameList found_frames = {};

// "number six-arguments sp pc", "-1 sp pc", or "running".
bool registers_of_sleeper(int tid, Registers &registers) {
    char path[64];
    char text[256];
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", tid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    text[length > 0 ? length : 0] = 0;
    const char *pc = strrchr(text, ' ');
    if (!pc || pc == text) {
        return false;
    }
    const char *sp = pc;
    while (sp > text && sp[-1] != ' ') {
        --sp;
    }
    registers = {strtoull(pc, nullptr, 16), strtoull(sp, nullptr, 16), 0, false, nullptr};
    return registers.pc != 0 && registers.sp != 0;
}

bool copy_stack(const ThreadSlot &slot, uintptr_t sp, StackMemory &memory) {
    if (sp < slot.stack_low || sp >= slot.stack_high) {
        return false;
    }
    const size_t size = slot.stack_high - sp < kCopySize ? slot.stack_high - sp : kCopySize;
    const iovec to = {stack_copy, size};
    const iovec from = {reinterpret_cast<void *>(sp), size};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(size)) {
        return false;
    }
    memory = {sp, sp + size, stack_copy, true};
    return true;
}

uint32_t last_sampled(const ThreadSlot &slot, const SeenThread &seen) {
    const uint32_t state = slot.last_state.load(std::memory_order_acquire);
    const uint64_t region = slot.last_region.load(std::memory_order_relaxed);
    const uint32_t node = slot.last_node.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    const bool is_it = state == seen.state && region == seen.region &&
                       slot.last_state.load(std::memory_order_relaxed) == state;
    return is_it ? node : seen.node;
}

} // namespace

uint32_t resting_node(ThreadSlot &slot, const SeenThread &seen, const PathBase &base) {
    const uint64_t ran = clock_ns(slot.clock);
    if (slot.rest_state == seen.state && slot.rest_region == seen.region &&
        slot.rest_ran_ns == ran) {
        return slot.rest_node; // it has not moved since
    }
    Registers registers;
    StackMemory memory;
    uint32_t node = seen.node; // where there is no stack to read
    if (!registers_of_sleeper(slot.tid, registers)) {
        node = last_sampled(slot, seen);
    } else if (copy_stack(slot, registers.sp, memory)) {
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
