// SPDX-License-Identifier: Apache-2.0
// What only runtimes older than OpenMP 5 report (the form of 2014, TR2 and its draft; TR6 where a
// comment names it), as calls like those of tracker.h, on the thread they concern.
#pragma once

#include "tracker/tracker.h"

namespace ocb::tracker {

// ---- regions -----------------------------------------------------------------------------------

// Whether the calling thread has forked a region and is in no implicit task of it yet.
[[nodiscard]] bool caller_awaits_implicit_task();

// The implicit task's end may be reported before the region's last barrier: the thread stays in the
// region, at its end, until it is idle or, the master, joins.
void implicit_task_body_ends();
void leave_and_join(RegionWord &region_word);

// A worker waits for its next region: at the end of the last one, which may go on (TR6) ...
[[nodiscard]] bool caller_is_idle();
void worker_left_region();
// ... or in none.
void idle_begins();

// Whether the calling thread executes the program's code, as far as it is known.
// Async-signal-safe.
[[nodiscard]] bool caller_is_in_code();

// ---- barriers ----------------------------------------------------------------------------------

// A barrier and the waiting in it are reported apart. A thread that does not wait gets both events
// when it leaves.
void barrier_entered();
void barrier_wait_begins(BarrierKind kind);
void barrier_left();

// ---- mutexes -----------------------------------------------------------------------------------

// A mutex is reported only when the thread waits for it.
void mutex_wait_begins(MutexKind kind, WaitId wait_id);
void mutex_wait_ends(MutexKind kind);
void mutex_hold_ends(MutexKind kind);

// ---- tasks -------------------------------------------------------------------------------------

[[nodiscard]] bool is_task_of_caller(TaskWord word);

// For the thread's implicit task, with which the runtime keeps no word.
void implicit_task_left();
void implicit_task_entered();

} // namespace ocb::tracker
