// SPDX-License-Identifier: Apache-2.0
#include "records/state_of.h"

#include "records/function_frames.h"
#include "records/held_mutexes.h"
#include "records/tables.h"
#include "runtime.h"

namespace ocb {
namespace {

// True for a thread that is in the program by its marks, and in a region that its innermost call
// has forked, but not in the region's function. Called on the record's own thread only.
bool is_around_regions_function(const ThreadRecord &record) {
    const ImplicitTask *implicit_task = record.implicit_task.get();
    return record.front.is_in_fork() && &record == own_record &&
           implicit_task->front_covered != record.front.covered.get() &&
           function_frames::caller_is_around_function(record);
}

// Whether the thread runs a task that was not reported, inside of its call. Called on the record's
// own thread only.
bool runs_task_inside_call(const ThreadRecord &record) {
    return front::tasks_may_run_unreported() && &record == own_record &&
           record.front.is_in_runtime() &&
           runtime::task_of_caller(front::innermost_frame(record.front)) ==
               runtime::TaskPlace::kInsideCall;
}

// The state of a thread in the program's code, or in a call from it into the runtime. Where tasks
// are not reported, one may run inside such a call.
int state_by_front(const ThreadRecord &record) {
    const int code = state_of_code(record.implicit_task.get());
    if (code != THR_WORK_STATE || !record.sees_waits()) {
        return code;
    }
    if (record.front.is_in_runtime() || record.front.may_combine()) {
        if (const int state = front::state_of(record.front); state != 0) {
            return runs_task_inside_call(record) ? code : state;
        }
    }
    return is_around_regions_function(record) ? THR_OVHD_STATE : code;
}

// The state of a thread in a barrier, where it may execute a task that was not reported.
int state_in_barrier(const ThreadRecord &record, int wait) {
    if (!front::tasks_may_run_unreported() || &record != own_record) {
        return wait;
    }
    const bool is_in_call = record.front.is_in_runtime();
    const runtime::TaskPlace place =
        runtime::task_in_barrier(is_in_call ? front::innermost_frame(record.front) : 0);
    if (place == runtime::TaskPlace::kNoTask) {
        return wait;
    }
    return place == runtime::TaskPlace::kAroundCall && is_in_call ? front::state_of(record.front)
                                                                  : THR_WORK_STATE;
}

// The state of a thread in the task that it executes, without a look at mutexes.
int state_of_activity(const ThreadRecord &record) {
    switch (record.activity.get()) {
    case Activity::kUser:
        return state_by_front(record);
    case Activity::kOverhead:
        return THR_OVHD_STATE;
    case Activity::kImplicitBarrier:
        return state_in_barrier(record, THR_IBAR_STATE);
    case Activity::kExplicitBarrier:
        return state_in_barrier(record, THR_EBAR_STATE);
    case Activity::kRegionEnd: {
        const int state = state_at_region_end(record);
        return state == THR_IBAR_STATE ? state_in_barrier(record, state) : state;
    }
    case Activity::kIdle:
        return THR_IDLE_STATE;
    case Activity::kReduction:
        return THR_REDUC_STATE;
    }
    return THR_OVHD_STATE;
}

// One id for all threads that wait for an iteration at the same place. Called on the record's own
// thread only.
WaitId wait_id_of_doacross(const ThreadRecord &record) {
    return &record == own_record
               ? WaitId{reinterpret_cast<std::uint64_t>(front::call_site(record.front))}
               : WaitId::kNone;
}

// Not from the record: a task that was not reported may have had a mutex since.
WaitId wait_id_of_barrier(const ThreadRecord &record) {
    const ImplicitTask *implicit_task = record.implicit_task.get();
    return front::tasks_may_run_unreported() && implicit_task != nullptr
               ? wait_id_of(barrier_of(*implicit_task))
               : record.wait_id.get();
}

bool waits_by_record(const ThreadRecord &record) {
    if (record.mutex.get() == MutexKind::kNone) {
        return false;
    }
    if (record.mutex_is_taken.get() || record.mutex.get() == MutexKind::kOrdered) {
        return record.mutex_is_taken.get();
    }
    // Where two threads came at the same time, the table shows the one that got it.
    return is_held_by_other(record.wait_id.get(), record);
}

int state_where(bool waits_for_mutex, const ThreadRecord &record, WaitId &wait_id) {
    if (waits_for_mutex) {
        wait_id = record.wait_id.get();
        return mutex_row(record.mutex.get()).state;
    }
    const int state = state_of_activity(record);
    if (state == THR_ODWT_STATE) {
        wait_id = wait_id_of_doacross(record);
    } else if (has_wait_id(state)) {
        wait_id = wait_id_of_barrier(record);
    }
    return state;
}

} // namespace

bool waits_for_mutex(const ThreadRecord &record) {
    if (waits_by_record(record)) {
        return true;
    }
    const MutexKind mutex = record.mutex.get();
    // The runtime's queuing locks show that the thread waits.
    return mutex != MutexKind::kNone && mutex != MutexKind::kOrdered &&
           runtime::caller_waits_for_mutex();
}

int state_of(const ThreadRecord &record, WaitId &wait_id) {
    const bool waits = record.mutex.get() != MutexKind::kNone && waits_for_mutex(record);
    return state_where(waits, record, wait_id);
}

int state_by_record(const ThreadRecord &record, WaitId &wait_id) {
    return state_where(waits_by_record(record), record, wait_id);
}

} // namespace ocb
