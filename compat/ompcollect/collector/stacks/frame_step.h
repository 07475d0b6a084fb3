// SPDX-License-Identifier: Apache-2.0
//
// From a frame to its caller by the rules of .eh_frame, where one word cannot hold them: the slow
// step of a walk. Async-signal-safe.
#pragma once

#include "frame_rules.h"
#include "stack_memory.h"

namespace ompcollect {

// Rules applied to the registers of a frame, for what a word cannot hold.
struct Caller {
    uintptr_t cfa;
    Registers registers;
    bool is_interrupted; // by a signal: its pc is exact
    SlotsRead bp_slots;  // where bp was read
};

// False: the caller cannot be found.
bool step_to_caller(const FrameRules &rules, const Registers &registers, StackMemory memory,
                    Caller &caller);

} // namespace ompcollect
