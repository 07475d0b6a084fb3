// SPDX-License-Identifier: Apache-2.0
//
// A frame's registers, and the memory that a walk may read. All async-signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ompcollect {

inline constexpr uintptr_t kWord = sizeof(uintptr_t);

#ifdef __x86_64__
using ContextRegister = long long;
#else
using ContextRegister = unsigned long long;
#endif

struct Registers {
    uintptr_t pc;
    uintptr_t sp;
    uintptr_t bp;
    bool knows_bp;
    const ContextRegister *all; // of a signal's context; null: only these three are known
    uintptr_t extra = 0;        // kRegisterExtra (machine.h)
    bool knows_extra = false;   // where `all` does not have it
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

} // namespace ompcollect
