// SPDX-License-Identifier: Apache-2.0
// The answers to STATE, CURRENT_PRID, PARENT_PRID, TASK_ID and TASK_PID for the calling thread:
// inside a callback those of its event, otherwise from the thread's record, and where the record
// does not reach, from the runtime. All async-signal-safe: no lock, no allocation, thread-local
// reads and at most one shared one (the region's record, or the slot of the mutex that the thread
// wants).
#pragma once

#include "omp_collector_api.h"
#include "records/state_of.h"
#include "records/thread_record.h"

namespace ocb::answers {

struct State {
    int state;
    WaitId wait_id;
};

// For a thread that is not in the program's code, or whose record does not tell.
[[nodiscard]] State state_beyond_code();

// Most are found in the program's code and answered without a call.
inline State state_of_caller() {
    const ThreadRecord *record = own_record;
    if (record == nullptr || !record->is_in_code() || record->front.is_in_runtime() ||
        record->front.may_combine()) {
        return state_beyond_code();
    }
    return {state_of_code(*record), WaitId::kNone};
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
