// SPDX-License-Identifier: Apache-2.0
// What the backend reports, on the thread that it concerns. Each call updates the thread's record
// and delivers the events that follow. Not for signal handlers, except where noted. Each region has
// an opaque 64-bit word, which the backend keeps in the runtime's place for a tool's region data.
// Each task has another one. The backend knows nothing else of a thread's record.
#pragma once

#include "base/ids.h"
#include "records/region.h"
#include "records/region_code.h"
#include "records/task_word.h"
#include "records/thread_record.h"

#include <cstdint>
#include <span>

namespace ocb::tracker {

using ocb::RegionWord;
using ocb::TaskWord;

// ---- threads (threads.cpp) ---------------------------------------------------------------------

// No event: the runtime is still setting the thread up. A worker's first BEGIN_IDLE comes where it
// enters its first team.
void thread_begins(ThreadKind kind);
void thread_ends();

struct TeamPlace {
    std::uint32_t thread_num;
    std::uint32_t team_size;
};
// Of the runtime's implicit outermost task, or a league's: no region.
constexpr TeamPlace kInitialPlace = {.thread_num = 0, .team_size = 1};

// One level of the regions of an unknown thread.
struct LateLevel {
    RegionWord *region_word; // null: none
    TeamPlace place;
};
// Gives the unknown calling thread a record: it takes part in these regions, the outermost first.
void register_caller_late(ThreadKind kind, std::span<const LateLevel> levels);

// One of the runtime's own threads executes a task of the program. It gets a record in the region
// of `region_word` (0: in none), until forget_caller().
void lend_caller(std::uint64_t region_word);
void forget_caller();
// The word of the region that the calling thread executes; 0: none.
[[nodiscard]] std::uint64_t region_word_of_caller();

// What can be asked of the calling thread. Async-signal-safe.
[[nodiscard]] bool caller_is_known();
// On the thread whose START was accepted. If it is in the program, it is in no wait, and all its
// waits will be reported.
void session_begins();
[[nodiscard]] bool caller_is_in_league();         // outside any region
[[nodiscard]] bool caller_is_worker_at_its_end(); // outside any region that it has forked
[[nodiscard]] bool caller_wants_mutex();
// By the front's marks: in a call that the program has made inside of its region, and that forks no
// region.
[[nodiscard]] bool caller_is_in_call_of_region();
// Whether it executes a region inside a league that was not forked at this address.
[[nodiscard]] bool caller_has_region_in_league(const void *not_forked_at);

// ---- regions (regions.cpp) ---------------------------------------------------------------------

// A league (host teams) is no region and gets no events.
enum class ForkKind : std::uint8_t { kRegion, kLeague };

// On the forking thread.
void fork(RegionWord &region_word, ForkKind kind, ForkCode code);
void join(const RegionWord &region_word);

// Whether a report of a worker's end comes in time, or when its master has left the region long
// ago.
enum class EndReport : std::uint8_t { kInTime, kLate };

// On each thread of the team. `region_word` null: the initial task of the process or of a thread.
void implicit_task_begins(RegionWord *region_word, TeamPlace place);
void implicit_task_ends(EndReport report);

// What a region's word leads to. A region that is seen for the first time gets its record here.
// Async-signal-safe.
struct RegionFacts {
    bool has_record = false;
    bool has_ended = false;
    RegionId id = RegionId::kNone;
};
[[nodiscard]] RegionFacts region_facts(RegionWord &region_word);

// The place in a region's record for a client tool's data. Null where the region has no record.
[[nodiscard]] std::uint64_t *client_word_of(const RegionWord &region_word); // async-signal-safe
// The same. The implicit region around the program, which has no fork, gets its record here.
[[nodiscard]] std::uint64_t *make_client_word_of(RegionWord &region_word);

// ---- barriers and reductions (barriers.cpp) ----------------------------------------------------

enum class BarrierKind : std::uint8_t {
    kImplicit,
    kExplicit,
    kLast,      // implicit, and the program's code in the region is over: the runtime's follows
    kRegionEnd, // such a one of a worker, which goes back to the pool from it
    kTaskWait,  // of a call that is not marked (task_wait_begins)
};

// When a runtime is attached: whether it reports a worker's end in time where the region has
// created tasks.
void expect_timely_ends(bool after_tasks);

void barrier_begins(BarrierKind kind);
void barrier_ends(EndReport report);
// The same for explicit ones, which are the commonest.
void explicit_barrier_begins();
void explicit_barrier_ends(EndReport report);
// An implicit barrier that the program has called (front::is_in_call_of_region), so it is not its
// region's last. The fast path only; false: it has not begun.
[[nodiscard]] bool implicit_barrier_of_call_begins();

// The barrier behind which no code of the program comes in its region.
void last_barrier_begins();

// Waiting for tasks.
void task_wait_begins();
void task_wait_ends();

void reduction_begins();
void reduction_ends();

// ---- mutexes (mutexes.cpp) ---------------------------------------------------------------------

// kQueue: who comes later gets it later.
enum class MutexOrder : std::uint8_t { kNone, kQueue };

// For all kinds except ordered regions, which have functions of their own.
void mutex_wanted(MutexKind kind, WaitId wait_id, MutexOrder order);
void mutex_acquired(MutexKind kind, WaitId wait_id);
void mutex_released(MutexKind kind, WaitId wait_id);
void ordered_wanted(WaitId wait_id);
void ordered_begins();
void ordered_ends();
void nest_lock_reacquired();
// From now on the runtime reports no release of a mutex, and no acquisition by ordered regions. A
// thread that wants a mutex counts as waiting until it has it.
void releases_end();
// A lock is made or destroyed: from here on no thread holds or wants the mutex at its address.
void lock_begins_or_ends(WaitId wait_id);

// ---- worksharing (worksharing.cpp) -------------------------------------------------------------

void single_begins();
void single_ends();
void master_begins();
void master_ends();

// ---- explicit tasks (tasks.cpp) ----------------------------------------------------------------

enum class TaskKind : std::uint8_t {
    kDeferred,              // the end of its region on a worker will be reported in time
    kDeferredEndUnreported, // it will not
    kUndeferred,
};

// The thread creates an explicit task; returns the new task's first word, 0 for none.
[[nodiscard]] TaskWord task_created(TaskKind kind);
// The thread leaves a task that is not finished (returns the word to keep with it), or one that is
// finished.
[[nodiscard]] TaskWord task_left(TaskWord word);
void task_finished(TaskWord word);
// The thread enters a task: a new one, or one that it or another thread has left.
void task_entered(TaskWord word);
// Both in one: the thread leaves a task that has not ended, and enters another one. `left` is the
// first one's word.
void tasks_switched(TaskWord &left, TaskWord entered);
// The same where the second task begins: it has no word yet.
void task_begins(TaskWord &left);

// ---- the front (records/front.h, threads.cpp) ---------------------------------------------------

// The front's marks are wanted from here on. The backend then replaces each code address of the
// runtime by the program's, wherever it passes one on.
void want_front();
// `calls`: what the program can call, by a front that marks all calls (records/front.h). Null: no
// front does.
void know_calls(const unsigned *calls);
[[nodiscard]] bool tasks_are_asked_for();
[[nodiscard]] bool no_single_is_called();
[[nodiscard]] const void *program_address(const void *reported);
// Where the calling thread's region was forked; null: no region, or not known.
[[nodiscard]] const void *fork_address_of_caller();

// ---- the session (control.cpp) -----------------------------------------------------------------

// The program's omp_control_tool (OpenMP 5.2, 18.14) or ompt_control, with the same commands. The
// answer for the program: 0 done, 1 ignored.
int control_tool(std::uint64_t command);

// Whether the bridge wants to be the tool of a runtime that asks for one now (OCB_ATTACH).
[[nodiscard]] bool wants_runtime();

// For a runtime that must be observed before the first START: a forked child finds our locks free.
void watch_forks();

} // namespace ocb::tracker
