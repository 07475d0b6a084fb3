// SPDX-License-Identifier: Apache-2.0
//
// Samples of a thread whose timer goes by the clock, as its state cannot be had from outside. Its
// own handler splits the time since the last one: what it ran, what it was ready to run without a
// processor, and the rest, asleep. All of it has the state that the sample finds.
#pragma once

#include "thread_slots.h"

#include <cstdint>

namespace ompcollect {

// How long ago the last sample was. By the thread itself, as are the others; they are
// async-signal-safe.
uint64_t clock_since_sample(const ThreadSlot &slot);
// Of this sample; what the thread did not run is pending.
void take_clock(ThreadSlot &slot, uint64_t cpu);
// Charges what the thread ran, which is `ran`, and what is pending. Returns the latter.
uint64_t charge_by_clock(ThreadSlot &slot, uint32_t node, unsigned state, uint64_t ran);

} // namespace ompcollect
