// SPDX-License-Identifier: Apache-2.0
//
// Laps: what a thread runs from one barrier of its region to the next. A barrier waits for the
// thread that comes last. What that one has run, beside what all have, is the program's part of the
// waiting: a thread that comes last because others on the machine had its processor has run no more
// than its team-mates. So laps are measured while others take processors: a program that has its
// own pays for none.
#pragma once

#include "thread_slots.h"

namespace ompcollect {

// From now on, or no longer. Of the sampling thread; false in a process that begins to sample.
void measure_laps(bool wanted);

// Which events the bridge counts in the place of their callbacks; a START has forgotten it.
void choose_counted_events();

// In the callback of its begin, by the thread.
void arrive_at_barrier(ThreadSlot &slot);

// In the callback of FORK, once the region has its node.
void fork_is_known(ThreadSlot &slot);

// Behind a worker's last region.
inline void idle_begins(LapsOfThread &laps) {
    laps.is_worker = true;
}

} // namespace ompcollect
