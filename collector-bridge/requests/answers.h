// SPDX-License-Identifier: Apache-2.0
// The answers to STATE, CURRENT_PRID, PARENT_PRID, TASK_ID and TASK_PID for the calling thread:
// inside a callback those of its event, otherwise from the thread's record, and where the record
// does not reach, from the runtime. All async-signal-safe: no lock, no allocation, thread-local
// reads and at most one shared one (the region's record, or the slot of the mutex that the thread
// wants).
#pragma once

#include "base/compiler.h"
#include "omp_collector_api.h"
#include "records/state_of.h"
#include "records/tables.h"
#include "records/thread_record.h"

#include <iterator>

namespace ocb::answers {

struct State {
    int state;
    WaitId wait_id;
};

// For a thread inside a callback or whose record does not tell.
[[nodiscard]] State state_beyond_record();

// What a thread does that neither is in a callback nor wants a mutex, in the order of Activity.
constexpr int kStates[] = {
    0,               // kUser: by the front and the region
    THR_OVHD_STATE,  // kOverhead
    THR_IBAR_STATE,  // kImplicitBarrier
    THR_EBAR_STATE,  // kExplicitBarrier
    0,               // kRegionEnd: by the region
    THR_IDLE_STATE,  // kIdle
    THR_REDUC_STATE, // kReduction
};
static_assert(std::size(kStates) == static_cast<int>(Activity::kReduction) + 1);

// Most are answered without a call. The wait id means something where the state has one.
OCB_ALWAYS_INLINE State state_of_caller() {
    const ThreadRecord *record = own_record;
    if (record == nullptr) {
        return is_foreign.get() ? State{THR_SERIAL_STATE, WaitId::kNone} : state_beyond_record();
    }
    if (record->is_plain()) {
        const Activity activity = record->activity.get();
        if (activity == Activity::kUser) {
            if (!record->front.is_in_runtime() && !record->front.may_combine()) {
                return {state_of_code(*record), WaitId::kNone};
            }
        } else if (activity == Activity::kRegionEnd) {
            return {state_at_region_end(*record), record->wait_id.get()};
        } else {
            return {kStates[static_cast<int>(activity)], record->wait_id.get()};
        }
    } else if (const int state = event_state(record->event());
               state != 0 && !record->has_answers.get()) {
        return {state, record->wait_id.get()};
    } else if (record->wants_mutex_plainly() && record->mutex_is_taken.get()) {
        return {mutex_row(record->mutex.get()).state, record->wait_id.get()};
    }
    return state_beyond_record();
}

[[nodiscard]] RegionId region_of_caller();

struct Parent {
    OMP_COLLECTORAPI_EC error;
    RegionId region_id;
};
[[nodiscard]] Parent parent_of_caller();

// The explicit task that the caller executes, and the one that created it; -1: none.
[[nodiscard]] int task_of_caller();
[[nodiscard]] int parent_task_of_caller();

} // namespace ocb::answers
