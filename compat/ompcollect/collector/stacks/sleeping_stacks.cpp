// SPDX-License-Identifier: Apache-2.0
//
// The kernel does not show bp. A walk goes on without it until a function is met that has saved it.
// Where one is met before that needs it, it is found by the stack: the frame ends where the return
// address of a call of this very function lies (x86-64).
#include "sleeping_stacks.h"

#include "clocks.h"
#include "frame_tables.h"
#include "machine.h"
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
constinit SleepingFrames found_frames = {};

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

Registers registers_of(const ThreadSlot &slot) {
    return {slot.sleep_pc, slot.sleep_sp, slot.sleep_bp, slot.sleep_bp != 0, nullptr};
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

#ifdef __x86_64__

// The number of four bytes at `at`.
int32_t number_at(const uint8_t *at) {
    int32_t number = 0;
    memcpy(&number, at, sizeof number);
    return number;
}

// What an entry of a linkage table goes to; any other address is itself.
uintptr_t behind_linkage(uintptr_t address) {
    uint8_t code[16];
    if (copy_memory(address, code, sizeof code) != sizeof code) {
        return address;
    }
    const unsigned marked =
        code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e ? 4 : 0; // endbr64
    const unsigned jump = marked + (code[marked] == 0xf2 ? 1u : 0u);   // bnd
    uintptr_t to = 0;
    const bool is_linkage =
        code[jump] == 0xff && code[jump + 1] == 0x25 &&
        ask_kernel(address + jump + 6 + static_cast<uintptr_t>(number_at(code + jump + 2)), to);
    return is_linkage ? to : address;
}

// Whether a function ends with a jump to the other one.
bool hands_over_to(uintptr_t from, uintptr_t to) {
    constexpr size_t kMost = 1024;
    static uint8_t code[kMost]; // the sampling thread's alone
    Described found;
    if (!find_described(from, found) || found.begin != from) {
        return false;
    }
    const uintptr_t length = found.end - from;
    const size_t size = copy_memory(from, code, length < kMost ? length : kMost);
    for (size_t i = 0; i + 5 <= size; ++i) {
        if (code[i] == 0xe9 &&
            behind_linkage(from + i + 5 + static_cast<uintptr_t>(number_at(code + i + 1))) == to) {
            return true;
        }
    }
    return false;
}

enum class CallTo { kNone, kThis, kAny };

// call *...: opcode ff /2, and as many bytes as that has.
bool is_call_by_pointer(const uint8_t *at, size_t length) {
    const unsigned mode = at[1] >> 6;
    const bool has_index = mode != 3 && (at[1] & 7) == 4;
    const bool is_relative = mode == 0 && (at[1] & 7) == 5;
    const size_t displacement = mode == 1 ? 1 : mode == 2 || is_relative ? 4 : 0;
    return at[0] == 0xff && (at[1] >> 3 & 7) == 2 &&
           length == 2 + (has_index ? 1u : 0u) + displacement;
}

// Where the call in front of the address leads to; one by a pointer may lead to any function.
CallTo call_before(uintptr_t address, uintptr_t function) {
    constexpr size_t kLongest = 7;
    uint8_t code[kLongest];
    Described found;
    if (!find_module(address) || !find_described(address - 1, found) ||
        copy_memory(address - kLongest, code, kLongest) != kLongest) {
        return CallTo::kNone;
    }
    if (code[kLongest - 5] == 0xe8) {
        const uintptr_t to =
            behind_linkage(address + static_cast<uintptr_t>(number_at(code + kLongest - 4)));
        if (to == function || hands_over_to(to, function)) {
            return CallTo::kThis;
        }
    }
    for (size_t length = 2; length <= kLongest; ++length) {
        if (is_call_by_pointer(code + kLongest - length, length)) {
            return CallTo::kAny;
        }
    }
    return CallTo::kNone;
}

// By how much the function lowers the stack pointer once it has set bp, at least.
uintptr_t room_of(uintptr_t function, uintptr_t pc) {
    constexpr size_t kMost = 128;
    uint8_t code[kMost];
    const size_t wanted = pc - function < kMost ? pc - function : kMost;
    const size_t size = copy_memory(function, code, wanted);
    size_t at = 0;
    const auto is_here = [&](uint8_t first, uint8_t second, uint8_t third) {
        return code[at] == first && code[at + 1] == second && code[at + 2] == third;
    };
    while (at + 7 <= size && !is_here(0x48, 0x89, 0xe5)) { // mov %rsp, %rbp
        ++at;
    }
    for (; at + 7 <= size; ++at) {
        if (is_here(0x48, 0x81, 0xec)) { // sub $..., %rsp
            return static_cast<uintptr_t>(number_at(code + at + 3));
        }
        if (is_here(0x48, 0x83, 0xec) || is_here(0x48, 0x83, 0xc4)) { // sub or, for 128, add
            const auto byte = static_cast<int8_t>(code[at + 3]);
            return static_cast<uintptr_t>(byte < 0 ? -byte : byte);
        }
    }
    return 0;
}

// The bp of a frame that the walk cannot leave without; 0: not found. Near the end of the room that
// the function makes lies its own return address. It may have more room than that, where earlier
// calls have left theirs: there a call of this very function is believed first.
uintptr_t missing_bp(const StackWalk &walk, const StackMemory &memory) {
    constexpr uintptr_t kAlignment = 16; // of bp, as of each frame
    constexpr uintptr_t kNear = 64;      // five saved registers, and arguments of a call
    Described found;
    if (!find_described(walk.pc() - 1, found)) {
        return 0;
    }
    const uintptr_t function = found.begin;
    const uintptr_t least = walk.sp() + room_of(function, walk.pc());
    uintptr_t by_pointer = 0;
    uintptr_t bp = (least + kAlignment - 1) & ~(kAlignment - 1);
    for (; bp < memory.high && memory.high - bp >= 2 * kWord; bp += kAlignment) {
        uintptr_t address = 0;
        const CallTo call =
            read_word(memory, bp + kWord, address) ? call_before(address, function) : CallTo::kNone;
        if (call == CallTo::kThis || (call == CallTo::kAny && bp - least <= kNear)) {
            return bp;
        }
        if (call == CallTo::kAny && by_pointer == 0) {
            by_pointer = bp;
        }
    }
    return by_pointer;
}

#else
uintptr_t missing_bp(const StackWalk &, const StackMemory &) {
    return 0; // gcc finds a frame by sp; what a system call's function saves has bp
}
#endif

// Of a thread that sleeps. It is copied once, whatever is asked.
bool has_stack(const ThreadSlot &slot, StackMemory &memory) {
    if (slot.sleep_sp == 0 || (copied_slot != &slot && !copy_stack(slot))) {
        return false;
    }
    memory = {slot.sleep_sp, slot.sleep_sp + copied_size, stack_copy, true};
    return true;
}

// After a walk that was lost. False: it would be again.
bool find_bp(ThreadSlot &slot, const StackMemory &memory) {
    if (slot.sleep_bp != 0) {
        return false;
    }
    StackWalk walk(registers_of(slot), memory, true);
    while (walk.has_frame() && walk.cfa() != 0) {
        walk.next();
    }
    slot.sleep_bp = walk.has_frame() ? missing_bp(walk, memory) : 0;
    return slot.sleep_bp != 0;
}

CodeKind sleeping_code(ThreadSlot &slot) {
    const CodeKind kind = kind_of_code(slot.sleep_pc);
    StackMemory memory;
    if (kind != CodeKind::kBase || !has_stack(slot, memory)) {
        return kind;
    }
    do {
        StackWalk walk(registers_of(slot), memory, true);
        while (walk.has_frame() && walk.kind() == CodeKind::kBase) {
            walk.next();
        }
        if (walk.has_frame()) {
            return walk.kind();
        }
    } while (find_bp(slot, memory));
    return CodeKind::kBase;
}

// Where its own handler has found it last, if that was in this region and state; else the region's.
uint32_t last_sampled(const ThreadSlot &slot, const SeenThread &seen) {
    const uint32_t state = slot.last_state.load(std::memory_order_acquire);
    const uint64_t region = slot.last_region.load(std::memory_order_relaxed);
    const uint32_t found = slot.last_node.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    const bool is_it = state == seen.state && region == seen.region &&
                       slot.last_state.load(std::memory_order_relaxed) == state;
    return is_it ? found : seen.node;
}

} // namespace

Rest rest_of(ThreadSlot &slot, uint64_t ran) {
    char text[256];
    if (copied_slot == &slot) {
        copied_slot = nullptr;
    }
    slot.sleep_ran_ns = ran;
    slot.sleep_pc = 0;
    slot.sleep_sp = 0;
    slot.sleep_bp = 0;
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

CodeKind cached_sleeping_code(ThreadSlot &slot) {
    if (!slot.sleep_code_is_known) {
        slot.sleep_code = sleeping_code(slot);
        slot.sleep_code_is_known = true;
    }
    return slot.sleep_code;
}

uint32_t cached_sleeping_node(ThreadSlot &slot, uint64_t ran, const SeenThread &seen,
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
        node = last_sampled(slot, seen);
    } else if (has_stack(slot, memory)) {
        do {
            node = sleeping_node(slot, base, registers_of(slot), memory, found_frames);
        } while (found_frames.frames.is_cut && find_bp(slot, memory));
        if (found_frames.frames.is_cut) {
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
