// SPDX-License-Identifier: Apache-2.0
//
// How long threads are in single and master parts, by region. The rest of the team waits meanwhile,
// where a barrier follows. gcc's code tells no end of a single: the bridge ends it at the thread's
// next barrier.
#pragma once

#include "thread_slots.h"

namespace ompcollect {

// In callbacks of the thread. One inside another counts to its own end.
void single_begins(ThreadSlot &slot);
void single_ends(ThreadSlot &slot);

} // namespace ompcollect
