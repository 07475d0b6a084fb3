// SPDX-License-Identifier: Apache-2.0
// The rows of the truth matrix: one OpenMP construct each, in a program that knows what is true of
// it, and what the bridge claims for programs built by clang and by gcc. docs/TRUTH.md is this
// table, written out; a test compares the two, and the runs show that the claims hold.
#pragma once

#include <cstddef>

namespace ocb_test {

enum class Claim {
    kExact,         // the runtime reports it
    kSynthesised,   // derived from what it reports
    kNotObservable, // the runtime gives no sign; the answer is the nearest honest one
};

struct TruthRow {
    const char *name;
    const char *program;
    const char *argument;    // of the program, or ""
    const char *environment; // "NAME=VALUE", or ""
    Claim clang, gcc;
    const char *reason; // where the answer comes from, or why there is none
};

constexpr auto kEx = Claim::kExact;
constexpr auto kSyn = Claim::kSynthesised;
constexpr auto kNo = Claim::kNotObservable;

// clang-format off
constexpr TruthRow kTruthRows[] = {
    {"regions", "regions", "", "", kSyn, kSyn, "serial code, body, join barrier for master and worker, idle gap: IDLE where the region's master has left it"},
    {"orphaned_barrier", "orphaned", "barrier", "", kSyn, kSyn, "the runtime's own state stays 'parallel' in serial code; no region, so SERIAL"},
    {"orphaned_loop", "orphaned", "loop", "", kSyn, kSyn, "as above"},
    {"orphaned_single", "orphaned", "single", "", kSyn, kSyn, "as above"},
    {"idle_after_tasks", "idle", "tasks", "", kEx, kEx, "the runtime reports the worker's end in time where the region created tasks"},
    {"idle_outside_team", "idle", "team", "", kSyn, kSyn, "a worker that the smaller team does not need stays where its last region ended"},
    {"barrier_explicit", "worksharing", "explicit", "", kEx, kNo, "gcc has one function for all barriers, so explicit ones show IBAR"},
    {"for_static", "worksharing", "static", "", kEx, kEx, "barrier kind of sync_region_wait"},
    {"for_dynamic", "worksharing", "dynamic", "", kEx, kEx, "as above"},
    {"for_guided", "worksharing", "guided", "", kEx, kEx, "as above"},
    {"sections", "worksharing", "sections", "", kEx, kEx, "as above"},
    {"for_nowait", "worksharing", "nowait", "", kEx, kEx, "no barrier, no event"},
    {"single", "single_master", "single", "", kEx, kSyn, "gcc reports the executor's begin; its end is the next barrier"},
    {"single_nowait", "single_master", "nowait", "", kEx, kSyn, "as above: the end may come as late as the region's end"},
    {"single_copyprivate", "single_master", "copyprivate", "", kEx, kNo, "gcc reports no single here, only its barriers"},
    {"master", "single_master", "master", "", kEx, kNo, "gcc compiles master to a comparison: nothing to report"},
    {"masked", "single_master", "masked", "", kEx, kNo, "as above"},
    {"critical", "mutexes", "critical", "", kSyn, kSyn, "the runtime says lock; the kind of mutex_acquire says critical"},
    {"critical_named", "mutexes", "named", "", kSyn, kSyn, "as above"},
    {"critical_hint", "mutexes", "hint", "", kSyn, kSyn, "as above"},
    {"critical_hint_uncontended", "mutexes", "hint_uncontended", "", kSyn, kSyn, "a lock that the runtime's state never shows: the table of held mutexes does"},
    {"lock", "mutexes", "lock", "", kSyn, kSyn, "the table of held mutexes"},
    {"lock_tas", "mutexes", "lock", "KMP_LOCK_KIND=tas", kSyn, kSyn, "a lock that the runtime's state never shows: the table of held mutexes does"},
    {"lock_futex", "mutexes", "lock", "KMP_LOCK_KIND=futex", kSyn, kSyn, "as above"},
    {"lock_ticket", "mutexes", "lock", "KMP_LOCK_KIND=ticket", kSyn, kSyn, "as above"},
    {"lock_queuing", "mutexes", "lock", "KMP_LOCK_KIND=queuing", kSyn, kSyn, "as above"},
    {"critical_tas", "mutexes", "critical", "KMP_LOCK_KIND=tas", kSyn, kSyn, "as above"},
    {"nest_lock", "mutexes", "nest", "", kSyn, kSyn, "as lock; the owner's second acquisition is no wait"},
    {"nest_lock_tas", "mutexes", "nest", "KMP_LOCK_KIND=tas", kSyn, kSyn, "as above"},
    {"test_lock", "test_lock", "plain", "", kSyn, kSyn, "an attempt is told from a wait by the runtime's function that reports it"},
    {"test_lock_tas", "test_lock", "plain", "KMP_LOCK_KIND=tas", kSyn, kSyn, "as above"},
    {"test_nest_lock", "test_lock", "nest", "", kSyn, kSyn, "as above"},
    {"atomic_lock", "mutexes", "atomic", "", kSyn, kSyn, "the runtime's lock for what the hardware cannot do; other atomics never wait"},
    {"ordered_static", "ordered", "static", "", kEx, kEx, "mutex_acquire and mutex_acquired of the ordered region"},
    {"ordered_dynamic", "ordered", "dynamic", "", kEx, kEx, "as above"},
    {"doacross", "ordered", "doacross", "", kNo, kNo, "no state and no callback before the wait of depend(sink): shows WORK"},
    {"reduction_critical", "reduction", "", "KMP_FORCE_REDUCTION=critical", kSyn, kNo, "reduction callbacks; gcc combines in a critical or atomic region of its own"},
    {"reduction_tree", "reduction", "", "KMP_FORCE_REDUCTION=tree", kSyn, kNo, "as above"},
    {"reduction_atomic", "reduction_atomic", "", "KMP_FORCE_REDUCTION=atomic", kNo, kNo, "no callback: the moment of the addition shows WORK"},
    {"taskwait", "tasks", "taskwait", "", kSyn, kSyn, "the Collector API has no such state: OVHD"},
    {"taskgroup", "tasks", "taskgroup", "", kSyn, kSyn, "as above"},
    {"task_in_barrier", "tasks", "barrier", "", kSyn, kSyn, "task_schedule: out of the barrier for the task, and back"},
    {"task_depend_if0", "tasks", "depend_if0", "", kSyn, kSyn, "a wait for dependences is reported as a task of its own: OVHD"},
    {"task_depend_taskwait", "tasks", "depend_taskwait", "", kSyn, kSyn, "as above"},
    {"if0", "nested", "if0", "", kEx, kEx, "fork and join like any other region"},
    {"if0_in_if0", "nested", "if0_if0", "", kSyn, kSyn, "the runtime says serial after the inner region; the outer one still runs"},
    {"one_thread", "nested", "one", "", kEx, kEx, "fork and join like any other region"},
    {"nested_two", "nested", "two", "OMP_MAX_ACTIVE_LEVELS=2", kSyn, kSyn, "frames of the thread's record"},
    {"nested_three", "nested", "three", "OMP_MAX_ACTIVE_LEVELS=3", kSyn, kSyn, "as above"},
    {"nested_off", "nested", "off", "OMP_MAX_ACTIVE_LEVELS=1", kSyn, kSyn, "as above"},
    {"cancel_loop", "cancel", "loop", "OMP_CANCELLATION=true", kEx, kEx, "the loop's missing end closes nothing and opens nothing"},
    {"cancel_region", "cancel", "region", "OMP_CANCELLATION=true", kSyn, kSyn, "the threads go to the join barrier"},
    {"cancel_tasks", "cancel", "tasks", "OMP_CANCELLATION=true", kSyn, kSyn, "a task that is thrown away unrun is reported as left for the one that the thread executes"},
    {"foreign_openmp", "foreign", "openmp", "", kSyn, kSyn, "a user thread with a team of its own"},
    {"foreign_plain", "foreign", "plain", "", kEx, kEx, "unknown to the runtime: SERIAL"},
    {"league", "league", "one", "", kSyn, kSyn, "a league is no region; the runtime says overhead in its user code"},
    {"league_of_two", "league", "two", "", kSyn, kSyn, "the initial threads of a league are in serial code until they fork"},
    {"league_default", "league", "default", "", kSyn, kSyn, "the runtime forks a region of its own for the league's team: no code address, so none of the program's"},
    {"league_of_one_team", "league", "one_team", "", kSyn, kSyn, "as above"},
    {"league_region", "league", "region", "", kSyn, kSyn, "the last barrier has the code address of the fork, a loop's has not: the runtime says overhead at both"},
    {"start_between", "late_start", "between", "OCB_TEST_START=program", kSyn, kSyn, "workers that are there already: idle until their next region"},
    {"start_inside_by_master", "late_start", "inside_master", "OCB_TEST_START=program", kSyn, kSyn, "the running region gets its id at first sight"},
    {"start_inside_by_worker", "late_start", "inside_worker", "OCB_TEST_START=program", kSyn, kSyn, "as above"},
    {"stop_and_start_inside", "late_start", "again", "OCB_TEST_START=program", kEx, kEx, "a region that outlives a session keeps its id"},
};
// clang-format on
constexpr std::size_t kTruthRowCount = sizeof(kTruthRows) / sizeof(kTruthRows[0]);

} // namespace ocb_test
