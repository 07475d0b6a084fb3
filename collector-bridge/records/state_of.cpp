// SPDX-License-Identifier: Apache-2.0
#include "records/state_of.h"

#include "records/function_frames.h"
#include "records/held_mutexes.h"
#include "records/tables.h"
#include "runtime.h"

namespace ocb {
namespace {

// For a thread in the program by its front: in a region that its innermost call has forked, and
// there not in the region's function. Called on the record's own thread only.
bool is_around_regions_function(const ThreadRecord &record) {
    const ImplicitTask *implicit_task = record.implicit_task.get();
    return record.front.is_in_fork() && &record == own_record &&
           implicit_task->front_covered != record.front.covered.get() &&
           function_frames::caller_is_around_function(record);
}

// In the program's code or in a call of it into the runtime. Before its tasks are reported a thread
// may be in one that runs inside such a call.
int state_by_front(const ThreadRecord &record) {
    const int code = state_of_code(record);
    if (code != THR_WORK_STATE || !record.sees_waits()) {
        return code;
    }
    if (record.front.is_in_runtime() || record.front.may_combine()) {
        if (const int state = front::state_of(record.front); state != 0) {
            return state;
        }
    }
    return is_around_regions_function(record) ? THR_OVHD_STATE : code;
}

// What a known thread does in the task it executes, mutexes aside.
int state_of_activity(const ThreadRecord &record) {
    switch (record.activity.get()) {
    case Activity::kUser:
        return state_by_front(record);
    case Activity::kOverhead:
        return THR_OVHD_STATE;
    case Activity::kImplicitBarrier:
        return THR_IBAR_STATE;
    case Activity::kExplicitBarrier:
        return THR_EBAR_STATE;
    case Activity::kRegionEnd:
        return state_at_region_end(record);
    case Activity::kIdle:
        return THR_IDLE_STATE;
    case Activity::kReduction:
        return THR_REDUC_STATE;
    }
    return THR_OVHD_STATE;
}

// Where the program waits for an iteration: one for all threads that wait there. Called on
// the record's own thread only.
WaitId wait_id_of_doacross(const ThreadRecord &record) {
    return &record == own_record
               ? WaitId{reinterpret_cast<std::uint64_t>(front::call_site(record.front))}
               : WaitId::kNone;
}

bool waits_by_record(const ThreadRecord &record) {
    if (record.mutex.get() == MutexKind::kNone) {
        return false;
    }
    if (record.mutex_is_taken.get() || record.mutex.get() == MutexKind::kOrdered) {
        return record.mutex_is_taken.get();
    }
    // Where two threads came at once, the table shows the one who got it.
    return is_held_by_other(record.wait_id.get(), record);
}

int state_where(bool waits_for_mutex, const ThreadRecord &record, WaitId &wait_id) {
    if (waits_for_mutex) {
        wait_id = record.wait_id.get();
        return mutex_row(record.mutex.get()).state;
    }
    const int state = state_of_activity(record);
    if (has_wait_id(state)) {
        wait_id = state == THR_ODWT_STATE ? wait_id_of_doacross(record) : record.wait_id.get();
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
