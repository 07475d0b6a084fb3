// SPDX-License-Identifier: Apache-2.0
// The numbers of the Collector API and what the bridge does with each: one row per value, in the
// order of the contract. The dispatch, the event registry, the capability query and the guide's
// tables all come from these rows.
#pragma once

#include "omp_collector_api.h"
#include "omp_collector_bridge.h"
#include "records/event.h"
#include "records/thread_record.h"
#include "runtime.h"

#include <iterator>

namespace ocb {

struct EventRow {
    Event event;
    const char *name;
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
constexpr Needs kNeedNothing = 0; // of an event that OMPT has no sign of: cannot be registered

// clang-format off
constexpr EventRow kEvents[] = {
    {Event::kFork, "OMP_EVENT_FORK", Pair::kCount, THR_OVHD_STATE, kNeedRegions, kExact,
     "parallel_begin; a league (host teams) is not a region"},
    {Event::kJoin, "OMP_EVENT_JOIN", Pair::kCount, THR_OVHD_STATE, kNeedRegions, kExact,
     "parallel_end"},
    {Event::kBeginIdle, "OMP_EVENT_THR_BEGIN_IDLE", Pair::kIdle, THR_IDLE_STATE, kNeedWaits, kSynthesised,
     "the worker's arrival at the end of its region (OCB_IDLE_EVENTS=prompt) or the runtime's late report of it (deferred)"},
    {Event::kEndIdle, "OMP_EVENT_THR_END_IDLE", Pair::kIdle, THR_IDLE_STATE, kNeedWaits | kNeedTaskSwitches, kSynthesised,
     "the worker's next implicit task, or a task handed to it while idle"},
    {Event::kBeginImplicitBarrier, "OMP_EVENT_THR_BEGIN_IBAR", Pair::kImplicitBarrier, THR_IBAR_STATE, kNeedWaits, kExact,
     "sync_region_wait of an implicit kind; in gcc-built programs explicit barriers look the same"},
    {Event::kEndImplicitBarrier, "OMP_EVENT_THR_END_IBAR", Pair::kImplicitBarrier, THR_IBAR_STATE, kNeedWaits | kNeedTaskSwitches, kSynthesised,
     "sync_region_wait; at the end of a region a worker's comes with its arrival (OCB_IDLE_EVENTS=prompt)"},
    {Event::kBeginExplicitBarrier, "OMP_EVENT_THR_BEGIN_EBAR", Pair::kExplicitBarrier, THR_EBAR_STATE, kNeedWaits, kExact,
     "sync_region_wait of the explicit kind; gcc-built programs report IBAR instead"},
    {Event::kEndExplicitBarrier, "OMP_EVENT_THR_END_EBAR", Pair::kExplicitBarrier, THR_EBAR_STATE, kNeedWaits | kNeedTaskSwitches, kExact,
     "sync_region_wait of the explicit kind; gcc-built programs report IBAR instead"},
    {Event::kBeginLockWait, "OMP_EVENT_THR_BEGIN_LKWT", Pair::kLock, THR_LKWT_STATE, kNeedMutexes, kSynthesised,
     "mutex_acquire of a lock that the table of held mutexes shows with another thread"},
    {Event::kEndLockWait, "OMP_EVENT_THR_END_LKWT", Pair::kLock, THR_LKWT_STATE, kNeedMutexes, kExact,
     "mutex_acquired after such a wait"},
    {Event::kBeginCriticalWait, "OMP_EVENT_THR_BEGIN_CTWT", Pair::kCritical, THR_CTWT_STATE, kNeedMutexes, kSynthesised,
     "mutex_acquire of a critical region that the table of held mutexes shows with another thread"},
    {Event::kEndCriticalWait, "OMP_EVENT_THR_END_CTWT", Pair::kCritical, THR_CTWT_STATE, kNeedMutexes, kExact,
     "mutex_acquired after such a wait"},
    {Event::kBeginOrderedWait, "OMP_EVENT_THR_BEGIN_ODWT", Pair::kOrderedWait, THR_ODWT_STATE, kNeedMutexes, kSynthesised,
     "mutex_acquire of an ordered region in a team of two or more: the runtime does not tell whether the turn has come already; doacross is not reported"},
    {Event::kEndOrderedWait, "OMP_EVENT_THR_END_ODWT", Pair::kOrderedWait, THR_ODWT_STATE, kNeedMutexes, kExact,
     "mutex_acquired of that ordered region"},
    {Event::kBeginMaster, "OMP_EVENT_THR_BEGIN_MASTER", Pair::kMaster, kOwnState, kNeedMaster, kExact,
     "masked on the executing thread; gcc-built programs do not report it"},
    {Event::kEndMaster, "OMP_EVENT_THR_END_MASTER", Pair::kMaster, kOwnState, kNeedMaster, kExact,
     "masked on the executing thread; gcc-built programs do not report it"},
    {Event::kBeginSingle, "OMP_EVENT_THR_BEGIN_SINGLE", Pair::kSingle, kOwnState, kNeedSingle, kExact,
     "work of the single executor; not with copyprivate in gcc-built programs, nor where the compiler does not mark loops (flang 19): the runtime would warn"},
    {Event::kEndSingle, "OMP_EVENT_THR_END_SINGLE", Pair::kSingle, kOwnState, kNeedSingle | kNeedWaits, kSynthesised,
     "work of the single executor; in gcc-built programs the thread's next barrier"},
    {Event::kBeginOrdered, "OMP_EVENT_THR_BEGIN_ORDERED", Pair::kOrdered, kOwnState, kNeedMutexes, kExact,
     "mutex_acquired of an ordered region"},
    {Event::kEndOrdered, "OMP_EVENT_THR_END_ORDERED", Pair::kOrdered, kOwnState, kNeedMutexes, kExact,
     "mutex_released of an ordered region"},
    {Event::kBeginAtomicWait, "OMP_EVENT_THR_BEGIN_ATWT", Pair::kAtomic, THR_ATWT_STATE, kNeedMutexes, kSynthesised,
     "mutex_acquire of the runtime's atomic lock held by another thread; atomics in hardware never wait"},
    {Event::kEndAtomicWait, "OMP_EVENT_THR_END_ATWT", Pair::kAtomic, THR_ATWT_STATE, kNeedMutexes, kExact,
     "mutex_acquired after such a wait"},
    {Event::kBeginCreateTask, "OMP_EVENT_THR_BEGIN_CREATE_TASK", Pair::kTaskCreate, THR_TASK_CREATE_STATE, kNeedTasks, kSynthesised,
     "task_create: one point in time, where the runtime has allocated the task"},
    {Event::kEndCreateTaskImmediate, "OMP_EVENT_THR_END_CREATE_TASK_IMM", Pair::kTaskCreate, THR_TASK_CREATE_STATE, kNeedTasks, kSynthesised,
     "task_create of an undeferred task, right behind BEGIN_CREATE_TASK"},
    {Event::kEndCreateTaskDelayed, "OMP_EVENT_THR_END_CREATE_TASK_DEL", Pair::kTaskCreate, THR_TASK_CREATE_STATE, kNeedTasks, kSynthesised,
     "task_create of any other task, right behind BEGIN_CREATE_TASK"},
    {Event::kBeginScheduleTask, "OMP_EVENT_THR_BEGIN_SCHD_TASK", Pair::kCount, THR_TASK_SCHEDULE_STATE, kNeedNothing, kNotObservable,
     "OMPT does not report the search for a task: REGISTER answers UNSUPPORTED"},
    {Event::kEndScheduleTask, "OMP_EVENT_THR_END_SCHD_TASK", Pair::kCount, THR_TASK_SCHEDULE_STATE, kNeedNothing, kNotObservable,
     "OMPT does not report the search for a task: REGISTER answers UNSUPPORTED"},
    {Event::kBeginSuspendTask, "OMP_EVENT_THR_BEGIN_SUSPEND_TASK", Pair::kTaskSuspend, THR_TASK_SUSPEND_STATE, kNeedTasks, kExact,
     "task_schedule away from an explicit task that is not finished"},
    {Event::kEndSuspendTask, "OMP_EVENT_THR_END_SUSPEND_TASK", Pair::kTaskSuspend, THR_TASK_SUSPEND_STATE, kNeedTasks, kSynthesised,
     "task_schedule back to it on the same thread, or away from where it lay (an untied task that other threads may go on with)"},
    {Event::kBeginStealTask, "OMP_EVENT_THR_BEGIN_STEAL_TASK", Pair::kCount, THR_TASK_STEAL_STATE, kNeedNothing, kNotObservable,
     "OMPT does not report queues of tasks: REGISTER answers UNSUPPORTED"},
    {Event::kEndStealTask, "OMP_EVENT_THR_END_STEAL_TASK", Pair::kCount, THR_TASK_STEAL_STATE, kNeedNothing, kNotObservable,
     "OMPT does not report queues of tasks: REGISTER answers UNSUPPORTED"},
    {Event::kFetchedTask, "OMP_EVENT_THR_FETCHED_TASK", Pair::kCount, kOwnState, kNeedNothing, kNotObservable,
     "OMPT does not report queues of tasks: REGISTER answers UNSUPPORTED"},
    {Event::kBeginExecuteTask, "OMP_EVENT_THR_BEGIN_EXEC_TASK", Pair::kCount, kOwnState, kNeedTasks, kExact,
     "task_schedule to an explicit task that this thread has not suspended"},
    {Event::kBeginFinishTask, "OMP_EVENT_THR_BEGIN_FINISH_TASK", Pair::kTaskFinish, THR_TASK_FINISH_STATE, kNeedTasks, kExact,
     "task_schedule away from a completed, cancelled or detached task"},
    {Event::kEndFinishTask, "OMP_EVENT_THR_END_FINISH_TASK", Pair::kTaskFinish, THR_TASK_FINISH_STATE, kNeedTasks, kSynthesised,
     "the same point in time as BEGIN_FINISH_TASK"},
    {Event::kMutexReleased, "OMP_COLLECTOR_BRIDGE_EVENT_MUTEX_RELEASED", Pair::kCount, kOwnState, kNeedMutexes, kSynthesised,
     "mutex_released by the thread that the table of held mutexes showed when it was asked for"},
};
// clang-format on

constexpr bool events_are_in_order() {
    int expected = kFirstEvent;
    for (const EventRow &row : kEvents) {
        if (static_cast<int>(row.event) != expected++) {
            return false;
        }
    }
    return expected == static_cast<int>(kEventsEnd);
}
static_assert(events_are_in_order(), "one row per event, in order");

// An event that cannot be observed needs nothing, and an event that needs nothing cannot be
// observed.
constexpr bool needs_fit_status() {
    for (const EventRow &row : kEvents) {
        if ((row.needs == kNeedNothing) != (row.status == kNotObservable)) {
            return false;
        }
    }
    return true;
}
static_assert(needs_fit_status());

constexpr const EventRow &event_row(Event event) {
    return kEvents[static_cast<int>(event) - kFirstEvent];
}

// The states alone, close together: requests inside callbacks look them up.
struct EventStates {
    std::uint8_t of[kEventsEnd] = {};

    consteval EventStates() {
        for (const EventRow &row : kEvents) {
            of[static_cast<int>(row.event)] = static_cast<std::uint8_t>(row.state);
        }
    }
};
constexpr EventStates kEventStates;
constexpr int event_state(Event event) {
    return kEventStates.of[static_cast<int>(event)];
}

struct MutexRow {
    MutexKind kind;
    Event begin, end;
    OMP_COLLECTOR_API_THR_STATE state;
};

// Which wait a mutex makes, in the order of MutexKind.
constexpr MutexRow kMutexes[] = {
    {MutexKind::kNone, Event::kNone, Event::kNone, kOwnState},
    {MutexKind::kLock, Event::kBeginLockWait, Event::kEndLockWait, THR_LKWT_STATE},
    {MutexKind::kTestLock, Event::kNone, Event::kNone, kOwnState},
    {MutexKind::kNestLock, Event::kBeginLockWait, Event::kEndLockWait, THR_LKWT_STATE},
    {MutexKind::kTestNestLock, Event::kNone, Event::kNone, kOwnState},
    {MutexKind::kCritical, Event::kBeginCriticalWait, Event::kEndCriticalWait, THR_CTWT_STATE},
    {MutexKind::kAtomic, Event::kBeginAtomicWait, Event::kEndAtomicWait, THR_ATWT_STATE},
    {MutexKind::kOrdered, Event::kBeginOrderedWait, Event::kEndOrderedWait, THR_ODWT_STATE},
};
static_assert(std::size(kMutexes) == static_cast<int>(MutexKind::kOrdered) + 1);

constexpr const MutexRow &mutex_row(MutexKind kind) {
    return kMutexes[static_cast<int>(kind)];
}

// The states alone, as with events.
struct MutexStates {
    std::uint8_t of[std::size(kMutexes)] = {};

    consteval MutexStates() {
        for (const MutexRow &row : kMutexes) {
            of[static_cast<int>(row.kind)] = static_cast<std::uint8_t>(row.state);
        }
    }
};
constexpr MutexStates kMutexStates;
constexpr int mutex_state(MutexKind kind) {
    return kMutexStates.of[static_cast<int>(kind)];
}

// A bit for each state. One word, so that a request needs no chain of comparisons.
constexpr std::uint64_t kMutexWaits = 1ULL << THR_LKWT_STATE | 1ULL << THR_CTWT_STATE |
                                      1ULL << THR_ODWT_STATE | 1ULL << THR_ATWT_STATE;
constexpr std::uint64_t kStatesWithWaitId =
    kMutexWaits | 1ULL << THR_IBAR_STATE | 1ULL << THR_EBAR_STATE;
static_assert(THR_LAST_STATE < 64);
constexpr bool is_mutex_wait(int state) {
    return (kMutexWaits >> static_cast<unsigned>(state) & 1) != 0;
}
constexpr bool has_wait_id(int state) {
    return (kStatesWithWaitId >> static_cast<unsigned>(state) & 1) != 0;
}

} // namespace ocb
