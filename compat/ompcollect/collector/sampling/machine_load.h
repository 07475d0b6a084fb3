// SPDX-License-Identifier: Apache-2.0
//
// Why threads that are ready to run get no processor: because the process has more of them than
// processors, or because others have those. Over a short time its threads ask for what they ran and
// what they waited. What is more than their processors can give had to be waited for; the rest of
// the waiting is due to others. Of the sampling thread alone.
#pragma once

#include "thread_slots.h"

#include <cstdint>

namespace ompcollect {

inline constexpr uint64_t kNoticeable = 20; // from a twentieth on, as in the analysis

// Whether others are worth to be measured beside, in a window of time with so much waiting: by the
// window and by all waiting. Among many threads of its own a program leaves processors idle for so
// long.
constexpr bool are_others_noticed(uint64_t window_ns, uint64_t waited_ns, uint64_t for_others_ns) {
    return for_others_ns > (waited_ns > window_ns ? waited_ns : window_ns) / kNoticeable;
}

// Whether the kernel's account of some time shows others that used so much, and more than chance.
// The account leaves out a part of a tick for each processor at both ends; what is left out varies
// with the root of their number. The kernel may let threads of one process wait beside an idle
// processor, so waiting alone shows nobody.
constexpr bool are_others_shown(uint64_t passed_ns, uint64_t others_ns, uint64_t tick_ns,
                                uint64_t processors) {
    constexpr uint64_t kChance = 3; // squared: of two kinds of use, each with a third of a tick
    uint64_t ticks = 1;
    while (ticks * ticks < kChance * processors) {
        ++ticks;
    }
    return others_ns > passed_ns / kNoticeable + ticks * tick_ns;
}

// A thread has run and waited so long since its last look. waited_ns is what is newly known.
void record_demand(const ThreadSlot &slot, uint64_t ran_ns, uint64_t waited_ns);

// At each tick.
void weigh_demand();

// What others run on the process's processors, by the kernel's account. Reads a file, so not at
// each tick.
void look_at_others();

// In a process that begins to sample, and in the child after fork().
void restart_machine_load();

} // namespace ompcollect
