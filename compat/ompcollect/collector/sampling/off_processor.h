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
    uint64_t quiet_ns; // at first, in which it rested as it was found
};

// The time off the processor has been added to what is pending.
void look_after(ThreadSlot &slot, const Passed &passed);

// What of it the thread, which has run since, had slept as it was found last. A look does the same.
void charge_quiet(ThreadSlot &slot, const Passed &passed);

// The kernel's count of what it has waited, for its row.
void look_at_run_queue(ThreadSlot &slot);

// Where a thread was at a random moment, its last sample. At its end each one is in the same state,
// however short that was. The given place where it had no sample.
struct Place {
    uint32_t node;
    unsigned state;
};
Place representative_place(const ThreadSlot &slot, const Place &at_end);

// What the thread has waited for a processor, and was never met while it did.
void charge_unmet_waits(ThreadSlot &slot, const Place &place);
// All that is pending when the thread ends.
void charge_rest(ThreadSlot &slot, const Place &at_end);

} // namespace ompcollect
