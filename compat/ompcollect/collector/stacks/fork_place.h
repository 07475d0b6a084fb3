// SPDX-License-Identifier: Apache-2.0
//
// Where a thread's call path begins, and where a FORK stands on its stack.
#pragma once

#include "thread_slots.h"

#include <cstdint>

namespace ompcollect {

// Where a path begins.
struct PathBase {
    uint32_t node;      // kNoRow: at the root of the thread's stack
    uintptr_t fork_cfa; // of the frame that holds the fork, on this thread's stack; 0: on another
};

struct ForkPlace {
    uint32_t node;     // of the frame that holds the fork; kNoRow: none was found
    uintptr_t address; // return address of the fork in it; 0: none was found
    uintptr_t cfa;
    ForkMemory *memory; // of the stack, where it is remembered: what its FORK comes to; or null
};

// Where the walk to a fork begins.
struct ForkStart {
    uintptr_t pc;
    uintptr_t sp;
    uintptr_t bp;
    bool is_exact; // pc is no return address
};

// Of the program, behind a call that a front marks.
inline ForkStart start_behind(const uintptr_t *call) {
    return {call[1], reinterpret_cast<uintptr_t>(call + 2), call[-1], false};
}

} // namespace ompcollect
