// SPDX-License-Identifier: Apache-2.0
// What only runtimes older than OpenMP 5 report (the form of 2014, TR2 and its draft; TR6 where it
// is said), as calls like those of tracker.h, on the thread they concern.
#pragma once

#include "tracker/tracker.h"

namespace ocb::tracker {

// For runtimes that say it sooner or later: the thread stays in the region, at its end, until it is
// idle or, the master, joins.
void implicit_task_body_ends();
void leave_and_join(RegionWord &region_word);

// The runtime's own word that a worker waits for its next region: at the end of the last one, which
// may go on, or in none.
void worker_left_region();
void idle_begins();

// For runtimes that tell of a barrier and of the waiting in it apart. A thread that does not wait
// gets both events when it leaves.
void barrier_entered();
void barrier_waited_in(BarrierKind kind);
void barrier_left();

// For runtimes that tell of a mutex only when the thread waits for it.
void mutex_waited_for(MutexKind kind, std::uint64_t wait_id);
void mutex_wait_over(MutexKind kind);
void mutex_given_back(MutexKind kind);

} // namespace ocb::tracker
