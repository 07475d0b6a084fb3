// SPDX-License-Identifier: Apache-2.0
// The numbers of the Collector API and what the bridge does with each: one row per value, in the
// order of the contract. The dispatch, the event registry, the capability query and the README's
// tables all come from these rows.
#pragma once

#include "omp_collector_api.h"
#include "omp_collector_bridge.h"
#include "records/thread_record.h"
#include "runtime.h"

#include <cstddef>

namespace ocb {

enum class EventRole { kBegin, kEnd };

struct EventRow {
    OMP_COLLECTORAPI_EVENT event;
    const char *name;
    EventRole role;
    Pair pair;                         // kCount: not paired (FORK and JOIN are, but in the region)
    OMP_COLLECTOR_API_THR_STATE state; // that STATE shows inside the callback; 0: the thread's own
    Needs needs;
    omp_collector_bridge_status status;
    const char *reason;
};

constexpr auto kOwnState = static_cast<OMP_COLLECTOR_API_THR_STATE>(0);
constexpr auto kExact = OMP_COLLECTOR_BRIDGE_EXACT;
constexpr auto kSynthesised = OMP_COLLECTOR_BRIDGE_SYNTHESISED;
constexpr auto kNotObservable = OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE;
constexpr Needs kNeedNothing = 0; // registered, and never delivered

constexpr int kFirstEvent = OMP_EVENT_FORK;
constexpr int kLastEvent = OMP_EVENT_THR_END_FINISH_TASK;

// clang-format off
constexpr EventRow kEvents[] = {
    {OMP_EVENT_FORK, "OMP_EVENT_FORK", EventRole::kBegin, Pair::kCount, THR_OVHD_STATE, kNeedRegions, kExact,
     "parallel_begin; a league (host teams) is not a region"},
    {OMP_EVENT_JOIN, "OMP_EVENT_JOIN", EventRole::kEnd, Pair::kCount, THR_OVHD_STATE, kNeedRegions, kExact,
     "parallel_end"},
    {OMP_EVENT_THR_BEGIN_IDLE, "OMP_EVENT_THR_BEGIN_IDLE", EventRole::kBegin, Pair::kIdle, THR_IDLE_STATE, kNeedWaits, kSynthesised,
     "the worker's arrival at the end of its region (OCB_IDLE_EVENTS=prompt) or the runtime's late report of it (deferred)"},
    {OMP_EVENT_THR_END_IDLE, "OMP_EVENT_THR_END_IDLE", EventRole::kEnd, Pair::kIdle, THR_IDLE_STATE, kNeedWaits, kSynthesised,
     "the worker's next implicit task, or a task handed to it while idle"},
    {OMP_EVENT_THR_BEGIN_IBAR, "OMP_EVENT_THR_BEGIN_IBAR", EventRole::kBegin, Pair::kImplicitBarrier, THR_IBAR_STATE, kNeedWaits, kExact,
     "sync_region_wait of an implicit kind; in gcc-built programs explicit barriers look the same"},
    {OMP_EVENT_THR_END_IBAR, "OMP_EVENT_THR_END_IBAR", EventRole::kEnd, Pair::kImplicitBarrier, THR_IBAR_STATE, kNeedWaits, kSynthesised,
     "sync_region_wait; at the end of a region a worker's comes with its arrival (OCB_IDLE_EVENTS=prompt)"},
    {OMP_EVENT_THR_BEGIN_EBAR, "OMP_EVENT_THR_BEGIN_EBAR", EventRole::kBegin, Pair::kExplicitBarrier, THR_EBAR_STATE, kNeedWaits, kExact,
     "sync_region_wait of the explicit kind; gcc-built programs report IBAR instead"},
    {OMP_EVENT_THR_END_EBAR, "OMP_EVENT_THR_END_EBAR", EventRole::kEnd, Pair::kExplicitBarrier, THR_EBAR_STATE, kNeedWaits, kExact,
     "sync_region_wait of the explicit kind; gcc-built programs report IBAR instead"},
    {OMP_EVENT_THR_BEGIN_LKWT, "OMP_EVENT_THR_BEGIN_LKWT", EventRole::kBegin, Pair::kLock, THR_LKWT_STATE, kNeedMutexes, kSynthesised,
     "mutex_acquire of a lock that the table of held mutexes shows with another thread"},
    {OMP_EVENT_THR_END_LKWT, "OMP_EVENT_THR_END_LKWT", EventRole::kEnd, Pair::kLock, THR_LKWT_STATE, kNeedMutexes, kExact,
     "mutex_acquired after such a wait"},
    {OMP_EVENT_THR_BEGIN_CTWT, "OMP_EVENT_THR_BEGIN_CTWT", EventRole::kBegin, Pair::kCritical, THR_CTWT_STATE, kNeedMutexes, kSynthesised,
     "mutex_acquire of a critical region that the table of held mutexes shows with another thread"},
    {OMP_EVENT_THR_END_CTWT, "OMP_EVENT_THR_END_CTWT", EventRole::kEnd, Pair::kCritical, THR_CTWT_STATE, kNeedMutexes, kExact,
     "mutex_acquired after such a wait"},
    {OMP_EVENT_THR_BEGIN_ODWT, "OMP_EVENT_THR_BEGIN_ODWT", EventRole::kBegin, Pair::kOrderedWait, THR_ODWT_STATE, kNeedMutexes, kSynthesised,
     "mutex_acquire of an ordered region in a team of two or more: the runtime does not tell whether the turn has come already; doacross is not reported"},
    {OMP_EVENT_THR_END_ODWT, "OMP_EVENT_THR_END_ODWT", EventRole::kEnd, Pair::kOrderedWait, THR_ODWT_STATE, kNeedMutexes, kExact,
     "mutex_acquired of that ordered region"},
    {OMP_EVENT_THR_BEGIN_MASTER, "OMP_EVENT_THR_BEGIN_MASTER", EventRole::kBegin, Pair::kMaster, kOwnState, kNeedMaster, kExact,
     "masked on the executing thread; gcc-built programs do not report it"},
    {OMP_EVENT_THR_END_MASTER, "OMP_EVENT_THR_END_MASTER", EventRole::kEnd, Pair::kMaster, kOwnState, kNeedMaster, kExact,
     "masked on the executing thread; gcc-built programs do not report it"},
    {OMP_EVENT_THR_BEGIN_SINGLE, "OMP_EVENT_THR_BEGIN_SINGLE", EventRole::kBegin, Pair::kSingle, kOwnState, kNeedSingle, kExact,
     "work of the single executor; not with copyprivate in gcc-built programs"},
    {OMP_EVENT_THR_END_SINGLE, "OMP_EVENT_THR_END_SINGLE", EventRole::kEnd, Pair::kSingle, kOwnState, kNeedSingle | kNeedWaits, kSynthesised,
     "work of the single executor; in gcc-built programs the thread's next barrier"},
    {OMP_EVENT_THR_BEGIN_ORDERED, "OMP_EVENT_THR_BEGIN_ORDERED", EventRole::kBegin, Pair::kOrdered, kOwnState, kNeedMutexes, kExact,
     "mutex_acquired of an ordered region"},
    {OMP_EVENT_THR_END_ORDERED, "OMP_EVENT_THR_END_ORDERED", EventRole::kEnd, Pair::kOrdered, kOwnState, kNeedMutexes, kExact,
     "mutex_released of an ordered region"},
    {OMP_EVENT_THR_BEGIN_ATWT, "OMP_EVENT_THR_BEGIN_ATWT", EventRole::kBegin, Pair::kAtomic, THR_ATWT_STATE, kNeedMutexes, kSynthesised,
     "mutex_acquire of the runtime's atomic lock held by another thread; atomics in hardware never wait"},
    {OMP_EVENT_THR_END_ATWT, "OMP_EVENT_THR_END_ATWT", EventRole::kEnd, Pair::kAtomic, THR_ATWT_STATE, kNeedMutexes, kExact,
     "mutex_acquired after such a wait"},
    {OMP_EVENT_THR_BEGIN_CREATE_TASK, "OMP_EVENT_THR_BEGIN_CREATE_TASK", EventRole::kBegin, Pair::kTaskCreate, THR_TASK_CREATE_STATE, kNeedTasks, kSynthesised,
     "task_create: one point in time, where the runtime has allocated the task"},
    {OMP_EVENT_THR_END_CREATE_TASK_IMM, "OMP_EVENT_THR_END_CREATE_TASK_IMM", EventRole::kEnd, Pair::kTaskCreate, THR_TASK_CREATE_STATE, kNeedTasks, kSynthesised,
     "task_create of an undeferred task, right behind BEGIN_CREATE_TASK"},
    {OMP_EVENT_THR_END_CREATE_TASK_DEL, "OMP_EVENT_THR_END_CREATE_TASK_DEL", EventRole::kEnd, Pair::kTaskCreate, THR_TASK_CREATE_STATE, kNeedTasks, kSynthesised,
     "task_create of any other task, right behind BEGIN_CREATE_TASK"},
    {OMP_EVENT_THR_BEGIN_SCHD_TASK, "OMP_EVENT_THR_BEGIN_SCHD_TASK", EventRole::kBegin, Pair::kCount, THR_TASK_SCHEDULE_STATE, kNeedNothing, kNotObservable,
     "OMPT does not report the search for a task: accepted, never delivered"},
    {OMP_EVENT_THR_END_SCHD_TASK, "OMP_EVENT_THR_END_SCHD_TASK", EventRole::kEnd, Pair::kCount, THR_TASK_SCHEDULE_STATE, kNeedNothing, kNotObservable,
     "OMPT does not report the search for a task: accepted, never delivered"},
    {OMP_EVENT_THR_BEGIN_SUSPEND_TASK, "OMP_EVENT_THR_BEGIN_SUSPEND_TASK", EventRole::kBegin, Pair::kTaskSuspend, THR_TASK_SUSPEND_STATE, kNeedTasks, kExact,
     "task_schedule away from an explicit task that is not finished"},
    {OMP_EVENT_THR_END_SUSPEND_TASK, "OMP_EVENT_THR_END_SUSPEND_TASK", EventRole::kEnd, Pair::kTaskSuspend, THR_TASK_SUSPEND_STATE, kNeedTasks, kSynthesised,
     "task_schedule back to it on the same thread, or away from where it lay (an untied task that other threads may go on with)"},
    {OMP_EVENT_THR_BEGIN_STEAL_TASK, "OMP_EVENT_THR_BEGIN_STEAL_TASK", EventRole::kBegin, Pair::kCount, THR_TASK_STEAL_STATE, kNeedNothing, kNotObservable,
     "OMPT does not report queues of tasks: accepted, never delivered"},
    {OMP_EVENT_THR_END_STEAL_TASK, "OMP_EVENT_THR_END_STEAL_TASK", EventRole::kEnd, Pair::kCount, THR_TASK_STEAL_STATE, kNeedNothing, kNotObservable,
     "OMPT does not report queues of tasks: accepted, never delivered"},
    {OMP_EVENT_THR_FETCHED_TASK, "OMP_EVENT_THR_FETCHED_TASK", EventRole::kBegin, Pair::kCount, kOwnState, kNeedNothing, kNotObservable,
     "OMPT does not report queues of tasks: accepted, never delivered"},
    {OMP_EVENT_THR_BEGIN_EXEC_TASK, "OMP_EVENT_THR_BEGIN_EXEC_TASK", EventRole::kBegin, Pair::kCount, kOwnState, kNeedTasks, kExact,
     "task_schedule to an explicit task that this thread has not suspended"},
    {OMP_EVENT_THR_BEGIN_FINISH_TASK, "OMP_EVENT_THR_BEGIN_FINISH_TASK", EventRole::kBegin, Pair::kTaskFinish, THR_TASK_FINISH_STATE, kNeedTasks, kExact,
     "task_schedule away from a completed, cancelled or detached task"},
    {OMP_EVENT_THR_END_FINISH_TASK, "OMP_EVENT_THR_END_FINISH_TASK", EventRole::kEnd, Pair::kTaskFinish, THR_TASK_FINISH_STATE, kNeedTasks, kSynthesised,
     "the same point in time as BEGIN_FINISH_TASK"},
};
// clang-format on

constexpr bool events_are_in_order() {
    int expected = kFirstEvent;
    for (const EventRow &row : kEvents)
        if (static_cast<int>(row.event) != expected++)
            return false;
    return expected == kLastEvent + 1;
}
static_assert(events_are_in_order(), "one row per event, in the order of the contract");

// What cannot be observed needs nothing, and the other way round.
constexpr bool needs_fit_status() {
    for (const EventRow &row : kEvents)
        if ((row.needs == kNeedNothing) != (row.status == kNotObservable))
            return false;
    return true;
}
static_assert(needs_fit_status());

constexpr bool is_event(int number) {
    return number >= kFirstEvent && number <= kLastEvent;
}
constexpr const EventRow &event_row(int event) {
    return kEvents[event - kFirstEvent];
}

struct MutexRow {
    MutexKind kind;
    OMP_COLLECTORAPI_EVENT begin, end;
    OMP_COLLECTOR_API_THR_STATE state;
};

// Which wait a mutex makes, in the order of MutexKind.
constexpr MutexRow kMutexes[] = {
    {MutexKind::kNone, OMP_EVENT_LAST, OMP_EVENT_LAST, kOwnState},
    {MutexKind::kLock, OMP_EVENT_THR_BEGIN_LKWT, OMP_EVENT_THR_END_LKWT, THR_LKWT_STATE},
    {MutexKind::kNestLock, OMP_EVENT_THR_BEGIN_LKWT, OMP_EVENT_THR_END_LKWT, THR_LKWT_STATE},
    {MutexKind::kCritical, OMP_EVENT_THR_BEGIN_CTWT, OMP_EVENT_THR_END_CTWT, THR_CTWT_STATE},
    {MutexKind::kAtomic, OMP_EVENT_THR_BEGIN_ATWT, OMP_EVENT_THR_END_ATWT, THR_ATWT_STATE},
    {MutexKind::kOrdered, OMP_EVENT_THR_BEGIN_ODWT, OMP_EVENT_THR_END_ODWT, THR_ODWT_STATE},
};
static_assert(sizeof(kMutexes) / sizeof(kMutexes[0]) == static_cast<int>(MutexKind::kOrdered) + 1);

constexpr const MutexRow &mutex_row(MutexKind kind) {
    return kMutexes[static_cast<int>(kind)];
}

constexpr bool has_wait_id(int state) {
    return state == THR_IBAR_STATE || state == THR_EBAR_STATE || state == THR_LKWT_STATE ||
           state == THR_CTWT_STATE || state == THR_ODWT_STATE || state == THR_ATWT_STATE;
}

} // namespace ocb
