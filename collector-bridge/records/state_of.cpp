// SPDX-License-Identifier: Apache-2.0
#include "records/state_of.h"

#include "records/held_mutexes.h"
#include "records/tables.h"
#include "runtime.h"

namespace ocb {
namespace {

// What a known thread does in the task it executes, mutexes aside.
int state_of_activity(const ThreadRecord &record) {
    const ImplicitTask *implicit_task = record.implicit_task.get();
    switch (record.activity.get()) {
    case Activity::kUser:
        return state_of_code(record);
    case Activity::kOverhead:
        return THR_OVHD_STATE;
    case Activity::kImplicitBarrier:
        return THR_IBAR_STATE;
    case Activity::kExplicitBarrier:
        return THR_EBAR_STATE;
    case Activity::kRegionEnd: // a league has no barrier
        return implicit_task == nullptr || implicit_task->region == nullptr ||
                       is_league(implicit_task->key) || implicit_task->has_ended()
                   ? THR_IDLE_STATE
                   : THR_IBAR_STATE;
    case Activity::kIdle:
        return THR_IDLE_STATE;
    case Activity::kReduction:
        return THR_REDUC_STATE;
    }
    return THR_OVHD_STATE;
}

} // namespace

bool waits_for_mutex(const ThreadRecord &record) {
    if (record.mutex.get() == MutexKind::kNone) {
        return false;
    }
    if (record.mutex_is_taken.get() || record.mutex.get() == MutexKind::kOrdered) {
        return record.mutex_is_taken.get();
    }
    // Where two threads came at once, the table shows the one who got it; and the runtime's queuing
    // locks show that the thread waits.
    return is_held_by_other(record.wait_id.get(), record) || runtime::caller_waits_for_mutex();
}

int state_of(const ThreadRecord &record, WaitId &wait_id) {
    if (waits_for_mutex(record)) {
        wait_id = record.wait_id.get();
        return mutex_row(record.mutex.get()).state;
    }
    const int state = state_of_activity(record);
    if (has_wait_id(state)) {
        wait_id = record.wait_id.get();
    }
    return state;
}

} // namespace ocb
