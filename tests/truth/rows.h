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
    kNotThere,      // the runtime lacks what the compiler calls: the row is not run
};

struct TruthRow {
    const char *name;
    const char *program;
    const char *argument;    // of the program, or ""
    const char *environment; // "NAME=VALUE", or ""
    Claim clang, gcc;        // on libomp
    Claim libgomp;           // built by gcc, on libgomp with libgomp-ompt
    const char *reason;      // where the answer comes from, or why there is none
    // What it is about is these runtimes' alone: no generation of OMPT (tests/generations) differs.
    bool is_of_runtimes = false;
};

constexpr auto kEx = Claim::kExact;
constexpr auto kSyn = Claim::kSynthesised;
constexpr auto kNo = Claim::kNotObservable;
constexpr auto kOut = Claim::kNotThere;

// clang-format off
constexpr TruthRow kTruthRows[] = {
    {"regions", "regions", "", "", kSyn, kSyn, kSyn, "callbacks; a worker in the join barrier is IDLE once the region's master has left the region"},
    {"region_in_constructor", "around_main", "constructor", "", kSyn, kSyn, kSyn, "a region like any other, before main", true},
    {"region_in_exit_handler", "around_main", "exit_handler", "", kSyn, kSyn, kSyn, "a region like any other, behind main", true},
    {"orphaned_barrier", "orphaned", "barrier", "", kSyn, kSyn, kSyn, "no region, so SERIAL; the runtime's own state stays 'parallel' in serial code"},
    {"orphaned_loop", "orphaned", "loop", "", kSyn, kSyn, kSyn, "no region, so SERIAL; the runtime's own state stays 'parallel' in serial code"},
    {"orphaned_single", "orphaned", "single", "", kSyn, kSyn, kSyn, "no region, so SERIAL; the runtime's own state stays 'parallel' in serial code"},
    {"idle_after_tasks", "idle", "tasks", "", kEx, kEx, kSyn, "libomp reports the worker's end in time where the region created tasks; with libgomp as in regions"},
    {"idle_outside_team", "idle", "team", "", kSyn, kSyn, kSyn, "a worker that the smaller team does not need stays IDLE since its last region"},
    {"barrier_explicit", "worksharing", "explicit", "", kEx, kNo, kNo, "kind of sync_region_wait; gcc calls one function for all barriers, so explicit ones show IBAR"},
    {"for_static", "worksharing", "static", "", kEx, kEx, kEx, "kind of sync_region_wait"},
    {"for_dynamic", "worksharing", "dynamic", "", kEx, kEx, kEx, "kind of sync_region_wait"},
    {"for_guided", "worksharing", "guided", "", kEx, kEx, kEx, "kind of sync_region_wait"},
    {"sections", "worksharing", "sections", "", kEx, kEx, kEx, "kind of sync_region_wait"},
    {"for_nowait", "worksharing", "nowait", "", kEx, kEx, kEx, "no barrier, no event"},
    {"loops_runtime", "loops", "runtime", "OMP_SCHEDULE=dynamic", kEx, kEx, kEx, "kind of sync_region_wait; each form of a loop has an entry of its own in gcc's runtime", true},
    {"loops_monotonic", "loops", "monotonic", "OMP_SCHEDULE=dynamic", kEx, kEx, kEx, "kind of sync_region_wait; each form of a loop has an entry of its own in gcc's runtime", true},
    {"loops_ull", "loops", "ull", "", kEx, kEx, kEx, "kind of sync_region_wait; each form of a loop has an entry of its own in gcc's runtime", true},
    {"loops_ull_runtime", "loops", "ull_runtime", "OMP_SCHEDULE=guided", kEx, kEx, kEx, "kind of sync_region_wait; each form of a loop has an entry of its own in gcc's runtime", true},
    {"loops_ull_monotonic", "loops", "ull_monotonic", "OMP_SCHEDULE=guided", kEx, kEx, kEx, "kind of sync_region_wait; each form of a loop has an entry of its own in gcc's runtime", true},
    {"parallel_loop_static", "parallel_loops", "static", "", kEx, kEx, kEx, "fork and join like any other region; the loop has no barrier of its own", true},
    {"parallel_loop_dynamic", "parallel_loops", "dynamic", "", kEx, kEx, kEx, "fork and join like any other region; the loop has no barrier of its own", true},
    {"parallel_loop_guided", "parallel_loops", "guided", "", kEx, kEx, kEx, "fork and join like any other region; the loop has no barrier of its own", true},
    {"parallel_loop_runtime", "parallel_loops", "runtime", "OMP_SCHEDULE=dynamic", kEx, kEx, kEx, "fork and join like any other region; the loop has no barrier of its own", true},
    {"parallel_loop_monotonic_dynamic", "parallel_loops", "monotonic_dynamic", "", kEx, kEx, kEx, "fork and join like any other region; the loop has no barrier of its own", true},
    {"parallel_loop_monotonic_guided", "parallel_loops", "monotonic_guided", "", kEx, kEx, kEx, "fork and join like any other region; the loop has no barrier of its own", true},
    {"parallel_loop_monotonic_runtime", "parallel_loops", "monotonic_runtime", "OMP_SCHEDULE=dynamic", kEx, kEx, kEx, "fork and join like any other region; the loop has no barrier of its own", true},
    {"parallel_loop_nonmonotonic_runtime", "parallel_loops", "nonmonotonic_runtime", "OMP_SCHEDULE=dynamic", kEx, kEx, kEx, "fork and join like any other region; the loop has no barrier of its own", true},
    {"parallel_sections", "parallel_loops", "sections", "", kEx, kEx, kEx, "fork and join like any other region; the sections have no barrier of their own", true},
    {"single", "single_master", "single", "", kEx, kSyn, kSyn, "callback work; with gcc it reports the executor's begin only, so the next barrier is the end"},
    {"single_nowait", "single_master", "nowait", "", kEx, kSyn, kSyn, "callback work; with gcc the next barrier is the end, at the latest the region's last one"},
    {"single_copyprivate", "single_master", "copyprivate", "", kEx, kNo, kEx, "callback work; of gcc's code libomp reports nothing but the barriers"},
    {"master", "single_master", "master", "", kEx, kNo, kNo, "callback masked; gcc compiles master to a comparison that reports nothing"},
    {"masked", "single_master", "masked", "", kEx, kNo, kNo, "callback masked; gcc compiles masked to a comparison that reports nothing"},
    {"critical", "mutexes", "critical", "", kSyn, kSyn, kSyn, "the runtime's state is that of a lock; mutex_acquire reports the kind critical"},
    {"critical_named", "mutexes", "named", "", kSyn, kSyn, kSyn, "the runtime's state is that of a lock; mutex_acquire reports the kind critical"},
    {"critical_hint", "mutexes", "hint", "", kSyn, kSyn, kSyn, "the runtime's state is that of a lock; mutex_acquire reports the kind critical"},
    {"critical_hint_uncontended", "mutexes", "hint_uncontended", "", kSyn, kSyn, kSyn, "this lock's wait never shows in the runtime's state: the table of held mutexes"},
    {"lock", "mutexes", "lock", "", kSyn, kSyn, kSyn, "a queuing lock, libomp's default: the table of held mutexes, then the runtime's state"},
    {"lock_tas", "mutexes", "lock", "KMP_LOCK_KIND=tas", kSyn, kSyn, kSyn, "this lock's wait never shows in the runtime's state: the table of held mutexes"},
    {"lock_futex", "mutexes", "lock", "KMP_LOCK_KIND=futex", kSyn, kSyn, kSyn, "this lock's wait never shows in the runtime's state: the table of held mutexes"},
    {"lock_ticket", "mutexes", "lock", "KMP_LOCK_KIND=ticket", kSyn, kSyn, kSyn, "this lock's wait never shows in the runtime's state: the table of held mutexes"},
    {"lock_queuing", "mutexes", "lock", "KMP_LOCK_KIND=queuing", kSyn, kSyn, kSyn, "this lock's wait shows in the runtime's state, which completes the table of held mutexes"},
    {"critical_tas", "mutexes", "critical", "KMP_LOCK_KIND=tas", kSyn, kSyn, kSyn, "this lock's wait never shows in the runtime's state: the table of held mutexes"},
    {"nest_lock", "mutexes", "nest", "", kSyn, kSyn, kSyn, "the table of held mutexes; the owner's second acquisition is no wait"},
    {"nest_lock_tas", "mutexes", "nest", "KMP_LOCK_KIND=tas", kSyn, kSyn, kSyn, "the table of held mutexes; the owner's second acquisition is no wait"},
    {"lock_anew", "lock_anew", "plain", "", kSyn, kSyn, kSyn, "lock_init and lock_destroy report that nobody holds what is at this address"},
    {"nest_lock_anew", "lock_anew", "nest", "", kSyn, kSyn, kSyn, "lock_init and lock_destroy report that nobody holds what is at this address", true},
    {"test_lock", "test_lock", "plain", "", kSyn, kSyn, kSyn, "an attempt is no wait: the runtime's function that called back shows which it is"},
    {"test_lock_tas", "test_lock", "plain", "KMP_LOCK_KIND=tas", kSyn, kSyn, kSyn, "an attempt is no wait: the runtime's function that called back shows which it is"},
    {"test_nest_lock", "test_lock", "nest", "", kSyn, kSyn, kSyn, "an attempt is no wait: the runtime's function that called back shows which it is"},
    {"atomic_lock", "mutexes", "atomic", "", kSyn, kSyn, kSyn, "the lock that the runtime takes where hardware has no atomic; other atomics never wait"},
    {"ordered_static", "ordered", "static", "", kEx, kEx, kEx, "mutex_acquire and mutex_acquired of the ordered region"},
    {"ordered_dynamic", "ordered", "dynamic", "", kEx, kEx, kEx, "mutex_acquire and mutex_acquired of the ordered region"},
    {"loops_ordered", "loops", "ordered", "OMP_SCHEDULE=dynamic", kEx, kEx, kEx, "mutex_acquire and mutex_acquired of the ordered region; each form of a loop has an entry of its own in gcc's runtime", true},
    {"loops_ull_ordered", "loops", "ull_ordered", "OMP_SCHEDULE=dynamic", kEx, kEx, kEx, "mutex_acquire and mutex_acquired of the ordered region; each form of a loop has an entry of its own in gcc's runtime", true},
    {"doacross", "ordered", "doacross", "", kNo, kNo, kNo, "no state and no callback before the wait of depend(sink): shows WORK"},
    {"doacross_two_dimensions", "doacross", "two", "", kNo, kNo, kNo, "no state and no callback before the wait of depend(sink): shows WORK", true},
    {"doacross_25_dimensions", "doacross", "many", "", kNo, kNo, kNo, "no state and no callback before the wait of depend(sink): shows WORK", true},
    {"doacross_schedules", "doacross", "schedules", "OMP_SCHEDULE=dynamic", kNo, kNo, kNo, "no state and no callback before the wait of depend(sink): shows WORK", true},
    {"doacross_ull_static", "doacross", "ull_static", "", kNo, kNo, kNo, "no state and no callback before the wait of depend(sink): shows WORK", true},
    {"doacross_ull_dynamic", "doacross", "ull_dynamic", "", kNo, kNo, kNo, "no state and no callback before the wait of depend(sink): shows WORK", true},
    {"reduction_critical", "reduction", "", "KMP_FORCE_REDUCTION=critical", kSyn, kNo, kNo, "reduction callbacks; gcc combines in a critical or atomic region of its own"},
    {"reduction_tree", "reduction", "", "KMP_FORCE_REDUCTION=tree", kSyn, kNo, kNo, "reduction callbacks; gcc combines in a critical or atomic region of its own"},
    {"reduction_atomic", "reduction_atomic", "", "KMP_FORCE_REDUCTION=atomic", kNo, kNo, kNo, "no callback: the moment of the addition shows WORK"},
    {"taskwait", "tasks", "taskwait", "", kSyn, kSyn, kSyn, "the Collector API has no such state: OVHD"},
    {"taskgroup", "tasks", "taskgroup", "", kSyn, kSyn, kSyn, "the Collector API has no such state: OVHD"},
    {"task_in_barrier", "tasks", "barrier", "", kSyn, kSyn, kSyn, "task_schedule: out of the barrier for the task, and back"},
    {"task_at_region_end", "tasks", "last", "", kSyn, kSyn, kSyn, "task_schedule: out of the last barrier, or of idleness, for the task, and back"},
    {"task_depend_if0", "tasks", "depend_if0", "", kSyn, kSyn, kSyn, "callback task_create: a wait for dependences is reported as a task of its own; OVHD"},
    {"task_depend_taskwait", "tasks", "depend_taskwait", "", kSyn, kSyn, kSyn, "callback task_create: a wait for dependences is reported as a task of its own; OVHD"},
    {"taskloop", "task_loops", "int", "", kSyn, kSyn, kSyn, "task_schedule: out of the wait for the task, and back", true},
    {"taskloop_ull", "task_loops", "ull", "", kSyn, kSyn, kSyn, "task_schedule: out of the wait for the task, and back", true},
    {"reduction_of_tasks", "task_loops", "reduction", "", kSyn, kSyn, kSyn, "task_schedule: out of the wait for the task, and back", true},
    {"if0", "nested", "if0", "", kEx, kEx, kEx, "fork and join like any other region"},
    {"if0_in_if0", "nested", "if0_if0", "", kSyn, kSyn, kSyn, "the outer region still runs; the runtime's state is serial after the inner one"},
    {"one_thread", "nested", "one", "", kEx, kEx, kEx, "fork and join like any other region"},
    {"if0_three_deep", "nested", "if0_again", "", kSyn, kSyn, kSyn, "the outer regions still run; the runtime's state is serial after an inner one", true},
    {"one_thread_three_deep", "nested", "one_again", "", kSyn, kSyn, kSyn, "the outer regions still run; the runtime's state is serial after an inner one", true},
    {"nested_two", "nested", "two", "OMP_MAX_ACTIVE_LEVELS=2", kSyn, kSyn, kSyn, "the implicit tasks of the thread's record, innermost first"},
    {"nested_three", "nested", "three", "OMP_MAX_ACTIVE_LEVELS=3", kSyn, kSyn, kSyn, "the implicit tasks of the thread's record, innermost first"},
    {"nested_off", "nested", "off", "OMP_MAX_ACTIVE_LEVELS=1", kSyn, kSyn, kSyn, "the implicit tasks of the thread's record, innermost first"},
    {"cancel_loop", "cancel", "loop", "OMP_CANCELLATION=true", kEx, kEx, kEx, "the loop's missing end closes nothing and opens nothing"},
    {"cancel_sections", "cancel", "sections", "OMP_CANCELLATION=true", kEx, kEx, kEx, "the sections' missing end closes nothing and opens nothing", true},
    {"cancel_region_in_barrier", "cancel", "region_in_barrier", "OMP_CANCELLATION=true", kSyn, kSyn, kSyn, "the threads go to the join barrier", true},
    {"cancel_region_at_point", "cancel", "region_at_point", "OMP_CANCELLATION=true", kSyn, kSyn, kSyn, "the threads go to the join barrier", true},
    {"cancel_region", "cancel", "region", "OMP_CANCELLATION=true", kSyn, kSyn, kSyn, "the threads go to the join barrier"},
    {"cancel_region_with_tasks", "cancel", "region_tasks", "OMP_CANCELLATION=true", kSyn, kSyn, kSyn, "a task that is discarded unrun is reported as left for the one that the thread executes", true},
    {"cancel_tasks", "cancel", "tasks", "OMP_CANCELLATION=true", kSyn, kSyn, kSyn, "a task that is discarded unrun is reported as left for the one that the thread executes"},
    {"target", "target", "at_once", "", kSyn, kOut, kSyn, "the host executes it at once, on the same thread", true},
    {"target_league", "target", "league", "", kSyn, kOut, kSyn, "the host executes it at once, on the same thread", true},
    {"target_task_in_serial_code", "target", "serial_task", "", kSyn, kOut, kSyn, "task_schedule; on libomp a thread of the runtime's own, in the place that created the task", true},
    {"target_task_in_region", "target", "region_task", "", kSyn, kOut, kSyn, "task_schedule; on libomp a thread of the runtime's own, in the place that created the task", true},
    {"foreign_openmp", "foreign", "openmp", "", kSyn, kSyn, kSyn, "a user thread with a team of its own"},
    {"foreign_plain", "foreign", "plain", "", kEx, kEx, kEx, "unknown to the runtime: SERIAL"},
    {"league", "league", "one", "", kSyn, kSyn, kSyn, "a league is no region; the runtime's state is overhead in its user code"},
    {"league_of_two", "league", "two", "", kSyn, kSyn, kSyn, "the initial threads of a league are in serial code until they fork; OVHD where one waits for the others"},
    {"league_default", "league", "default", "", kSyn, kSyn, kSyn, "the region that the runtime forks for the league's team has no code address, so it is not the program's"},
    {"league_of_one_team", "league", "one_team", "", kSyn, kSyn, kSyn, "the region that the runtime forks for the league's team has no code address, so it is not the program's"},
    {"league_region", "league", "region", "", kSyn, kSyn, kSyn, "the last barrier has the code address of the fork, a loop's has not; the runtime's state is overhead at both"},
    {"league_of_two_regions", "league", "two_regions", "KMP_TEAMS_THREAD_LIMIT=4", kSyn, kSyn, kSyn, "each initial thread of the league forks a region like any other", true},
    {"league_of_two_ones", "league", "two_ones", "", kSyn, kSyn, kSyn, "each initial thread of the league forks a region like any other", true},
    {"league_of_two_distribute", "league", "two_distribute", "KMP_TEAMS_THREAD_LIMIT=4", kSyn, kSyn, kSyn, "each initial thread of the league forks a region like any other", true},
    {"league_of_two_distribute_ones", "league", "two_distribute", "KMP_TEAMS_THREAD_LIMIT=2", kSyn, kSyn, kSyn, "each initial thread of the league forks a region like any other", true},
    {"start_between", "late_start", "between", "OCB_TEST_START=program", kSyn, kSyn, kSyn, "workers that exist already are idle until their next region"},
    {"start_inside_by_master", "late_start", "inside_master", "OCB_TEST_START=program", kSyn, kSyn, kSyn, "the running region gets its id at first sight"},
    {"start_inside_by_worker", "late_start", "inside_worker", "OCB_TEST_START=program", kSyn, kSyn, kSyn, "the running region gets its id at first sight"},
    {"stop_and_start_inside", "late_start", "again", "OCB_TEST_START=program", kEx, kEx, kEx, "a region that outlives a session keeps its id"},
};
// clang-format on
constexpr std::size_t kTruthRowCount = sizeof(kTruthRows) / sizeof(kTruthRows[0]);

} // namespace ocb_test
