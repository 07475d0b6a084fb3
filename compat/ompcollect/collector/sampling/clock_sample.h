// SPDX-License-Identifier: Apache-2.0
//
// Samples of a thread whose state cannot be read from outside, so its timer goes by the clock. Its
// own handler splits the time since the last sample in three: running, ready without a processor,
// asleep. All three are charged to the state that the sample finds.
#pragma once

#include "thread_slots.h"

#include <cstdint>

namespace ompcollect {

// How long ago the last sample was. All three are for the thread itself, and async-signal-safe.
uint64_t clock_since_sample(const ThreadSlot &slot);
// Notes the time of this sample. What the thread did not run becomes pending.
void take_clock(ThreadSlot &slot, uint64_t cpu);
// Charges `ran`, which the thread ran, and the pending time. Returns the pending time.
uint64_t charge_by_clock(ThreadSlot &slot, uint32_t node, unsigned state, uint64_t ran);

} // namespace ompcollect
