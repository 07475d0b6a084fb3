// SPDX-License-Identifier: Apache-2.0
//
// The time that a thread did not run since the last tick, and the state, node and kind (asleep or
// ready) that it is charged to. For the thread that keeps the slot (ThreadSlot::is_kept).
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

// Charges the pending time, to which the caller has added the time off the processor.
void look_after(ThreadSlot &slot, const Passed &passed);

// Charges the sleep before the thread ran again to the state it was last seen in. A look does so,
// too.
void charge_quiet(ThreadSlot &slot, const Passed &passed);

// Writes the kernel's count of waits for a processor into the thread's row.
void look_at_run_queue(ThreadSlot &slot);

// The place of the thread's last sample, which is a random moment. Its end is not: each thread ends
// in the same state, however short that is. Without a sample it is the given place.
struct Place {
    uint32_t node;
    unsigned state;
};
Place representative_place(const ThreadSlot &slot, const Place &at_end);

// Charges waits for a processor in which the thread was never found.
void charge_unmet_waits(ThreadSlot &slot, const Place &place);
// Charges all pending time when the thread ends.
void charge_rest(ThreadSlot &slot, const Place &at_end);

} // namespace ompcollect
