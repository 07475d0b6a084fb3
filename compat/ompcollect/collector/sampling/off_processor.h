// SPDX-License-Identifier: Apache-2.0
//
// What a thread did not run since the last tick, and which state, node and kind of rest gets that
// time. For whoever keeps the slot.
#pragma once

#include "thread_slots.h"

#include <cstdint>

namespace ompcollect {

uint64_t sampling_period();

// What a thread has done since the last tick.
struct Passed {
    uint64_t cpu; // its clock
    uint64_t ns, ran_ns;
};

// The time off the processor has been added to what is pending.
void look_after(ThreadSlot &slot, const Passed &passed);

// The kernel's count of what it has waited, for its row.
void look_at_run_queue(ThreadSlot &slot);

// What is pending when the thread ends, or when sampling does.
void charge_rest(ThreadSlot &slot, uint32_t node, unsigned state);

} // namespace ompcollect
