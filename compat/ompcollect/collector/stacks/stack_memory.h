// SPDX-License-Identifier: Apache-2.0
//
// A frame's registers, and the memory that a walk may read. All async-signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ompcollect {

inline constexpr uintptr_t kWord = sizeof(uintptr_t);

struct Registers {
    uintptr_t pc;
    uintptr_t sp;
    uintptr_t bp;
    bool knows_bp;
    const long long *all; // of a signal's context; null: only these three are known
    uintptr_t bx = 0;
    bool knows_bx = false; // where `all` does not have it
};

// The addresses on which a result depends, in the order of reading.
struct SlotsRead {
    static constexpr unsigned kMost = 8;
    uintptr_t list[kMost];
    unsigned count = 0;
    bool is_all = true; // false: it depends on others too

    void add(uintptr_t address) {
        is_all = is_all && count < kMost;
        if (is_all) {
            list[count++] = address;
        }
    }
};

// Memory that may be read: [low, high), where `low` is at `bytes`.
struct StackMemory {
    uintptr_t low;
    uintptr_t high;
    const char *bytes;
    bool asks_kernel;           // for what lies outside
    SlotsRead *slots = nullptr; // where it is noted what is read; null: nowhere
};

// Copies what is mapped from the address on; how many bytes that were. Async-signal-safe.
size_t copy_memory(uintptr_t address, void *to, size_t size);

// The kernel's answer for an address: false where nothing is mapped.
bool ask_kernel(uintptr_t address, uintptr_t &value);

inline bool read_word(const StackMemory &memory, uintptr_t address, uintptr_t &value) {
    if (memory.slots) {
        memory.slots->add(address);
    }
    if (address >= memory.low && address < memory.high && memory.high - address >= kWord) {
        memcpy(&value, memory.bytes + (address - memory.low), sizeof value);
        return true;
    }
    return memory.asks_kernel && ask_kernel(address, value);
}

// The calling function's registers.
#define OMPCOLLECT_REGISTERS_HERE(registers)                                                       \
    __asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"                          \
                     : "=&r"((registers).pc), "=&r"((registers).sp), "=&r"((registers).bp));       \
    (registers).knows_bp = true;                                                                   \
    (registers).all = nullptr

} // namespace ompcollect
