// SPDX-License-Identifier: Apache-2.0
// The runtime's facts, as the backend reports them, on the thread they concern: each call brings
// the thread's record up to date and delivers the events that follow from it. Not for signal
// handlers. Regions pass through the runtime as an opaque 64-bit word (RegionWord) that the
// backend keeps in the runtime's place for a tool's region data.
#pragma once

#include "records/region.h"
#include "records/region_code.h"
#include "records/thread_record.h"

#include <cstdint>

namespace ocb::tracker {

using ocb::RegionWord;
// Kept by the backend in the runtime's task data.
using ocb::TaskWord;

enum class BarrierKind {
    kImplicit,
    kExplicit,
    kLast,      // implicit, and the program's code in the region is over: the runtime's follows
    kRegionEnd, // such a one of a worker, which goes back to the pool from it
    kTaskWait,
};

void thread_begins(ThreadKind kind);
void thread_ends();

// On the forking thread. A league (host teams) is no region and gets no events.
void fork(RegionWord &region_word, bool is_league, const ForkCode &code);
void join(RegionWord &region_word);

// Whether the calling thread is in a league, outside any region.
bool is_in_league();

struct TeamPlace {
    std::uint32_t thread_num;
    std::uint32_t team_size;
    bool is_initial; // the runtime's implicit outermost task, or a league's: no region
};

// On each thread of the team. `region_word` null: the initial task of the process or of a thread.
void implicit_task_begins(RegionWord *region_word, const TeamPlace &place);
// `is_late_worker`: the runtime reports the end of a region that its master has left long ago.
void implicit_task_ends(bool is_late_worker);

void barrier_begins(BarrierKind kind);
void barrier_ends(bool is_late_worker);

// `has_queue`: who comes later gets it later.
void mutex_wanted(MutexKind kind, std::uint64_t wait_id, bool has_queue);
void mutex_acquired(MutexKind kind, std::uint64_t wait_id);
void mutex_released(MutexKind kind, std::uint64_t wait_id);
void nest_lock_reacquired();

void single_begins();
void single_ends();
void master_begins();
void master_ends();

void reduction_begins();
void reduction_ends();

// The thread creates an explicit task; returns the new task's first word.
TaskWord task_created(bool is_deferred);
// The thread leaves a task: one that is not finished (returns what to remember with it), or one
// that is.
TaskWord task_left(TaskWord word);
void task_finished(TaskWord word);
// The thread enters a task: a new one, or one that it or another thread has left.
void task_entered(TaskWord word);

// One level of an unknown thread's regions, the outermost first. For the backend's adoption.
void adopt_level(RegionRecord *region, const TeamPlace &place);
// Gives the unknown calling thread a record. Null without memory.
ThreadRecord *adopt_thread(ThreadKind kind);

// The record behind a region word; a region that nobody has seen yet gets one here.
// Async-signal-safe.
RegionRecord *region_at_first_sight(RegionWord &word);

} // namespace ocb::tracker
