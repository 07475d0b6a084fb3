// SPDX-License-Identifier: Apache-2.0
// The events of the Collector API as a type of our own, so that no other number is taken for one,
// and the pairs of BEGIN and END that they form. tables.h has what the bridge does with each.
#pragma once

#include "omp_collector_api.h"
#include "omp_collector_bridge.h"

#include <cstdint>

namespace ocb {

// The numbers are the contract's. Only our own event has another one.
enum class Event : std::uint32_t {
    kNone = 0,
    kFork = OMP_EVENT_FORK,
    kJoin = OMP_EVENT_JOIN,
    kBeginIdle = OMP_EVENT_THR_BEGIN_IDLE,
    kEndIdle = OMP_EVENT_THR_END_IDLE,
    kBeginImplicitBarrier = OMP_EVENT_THR_BEGIN_IBAR,
    kEndImplicitBarrier = OMP_EVENT_THR_END_IBAR,
    kBeginExplicitBarrier = OMP_EVENT_THR_BEGIN_EBAR,
    kEndExplicitBarrier = OMP_EVENT_THR_END_EBAR,
    kBeginLockWait = OMP_EVENT_THR_BEGIN_LKWT,
    kEndLockWait = OMP_EVENT_THR_END_LKWT,
    kBeginCriticalWait = OMP_EVENT_THR_BEGIN_CTWT,
    kEndCriticalWait = OMP_EVENT_THR_END_CTWT,
    kBeginOrderedWait = OMP_EVENT_THR_BEGIN_ODWT,
    kEndOrderedWait = OMP_EVENT_THR_END_ODWT,
    kBeginMaster = OMP_EVENT_THR_BEGIN_MASTER,
    kEndMaster = OMP_EVENT_THR_END_MASTER,
    kBeginSingle = OMP_EVENT_THR_BEGIN_SINGLE,
    kEndSingle = OMP_EVENT_THR_END_SINGLE,
    kBeginOrdered = OMP_EVENT_THR_BEGIN_ORDERED,
    kEndOrdered = OMP_EVENT_THR_END_ORDERED,
    kBeginAtomicWait = OMP_EVENT_THR_BEGIN_ATWT,
    kEndAtomicWait = OMP_EVENT_THR_END_ATWT,
    kBeginCreateTask = OMP_EVENT_THR_BEGIN_CREATE_TASK,
    kEndCreateTaskImmediate = OMP_EVENT_THR_END_CREATE_TASK_IMM,
    kEndCreateTaskDelayed = OMP_EVENT_THR_END_CREATE_TASK_DEL,
    kBeginScheduleTask = OMP_EVENT_THR_BEGIN_SCHD_TASK,
    kEndScheduleTask = OMP_EVENT_THR_END_SCHD_TASK,
    kBeginSuspendTask = OMP_EVENT_THR_BEGIN_SUSPEND_TASK,
    kEndSuspendTask = OMP_EVENT_THR_END_SUSPEND_TASK,
    kBeginStealTask = OMP_EVENT_THR_BEGIN_STEAL_TASK,
    kEndStealTask = OMP_EVENT_THR_END_STEAL_TASK,
    kFetchedTask = OMP_EVENT_THR_FETCHED_TASK,
    kBeginExecuteTask = OMP_EVENT_THR_BEGIN_EXEC_TASK,
    kBeginFinishTask = OMP_EVENT_THR_BEGIN_FINISH_TASK,
    kEndFinishTask = OMP_EVENT_THR_END_FINISH_TASK,
    kMutexReleased, // OMP_COLLECTOR_BRIDGE_EVENT_MUTEX_RELEASED
};

constexpr int kFirstEvent = OMP_EVENT_FORK;
constexpr int kLastEvent = OMP_EVENT_THR_END_FINISH_TASK; // of the contract's
constexpr unsigned kEventsEnd = static_cast<unsigned>(Event::kMutexReleased) + 1;

// kNone for a number that is no event's.
constexpr Event event_of(int number) {
    if (number == OMP_COLLECTOR_BRIDGE_EVENT_MUTEX_RELEASED) {
        return Event::kMutexReleased;
    }
    return number >= kFirstEvent && number <= kLastEvent ? Event{static_cast<std::uint32_t>(number)}
                                                         : Event::kNone;
}

// The number by which a collector knows the event.
constexpr int contract_number(Event event) {
    return event == Event::kMutexReleased ? OMP_COLLECTOR_BRIDGE_EVENT_MUTEX_RELEASED
                                          : static_cast<int>(event);
}

// In a mask of events.
constexpr std::uint64_t bit_of(Event event) {
    return 1ULL << static_cast<std::uint32_t>(event);
}

// Events that come as BEGIN and END, except FORK and JOIN, which are paired in the region.
enum class Pair : std::uint8_t {
    kIdle,
    kImplicitBarrier,
    kExplicitBarrier,
    kLock,
    kCritical,
    kOrderedWait,
    kMaster,
    kSingle,
    kOrdered,
    kAtomic,
    kTaskCreate,
    kTaskSuspend,
    kTaskFinish,
    kCount
};

} // namespace ocb
