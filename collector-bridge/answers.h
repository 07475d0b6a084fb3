// SPDX-License-Identifier: Apache-2.0
// The answers to STATE, CURRENT_PRID, PARENT_PRID, TASK_ID and TASK_PID for the calling thread:
// inside a callback those of its event, otherwise from the thread's record, and where the record
// does not reach, from the runtime. All async-signal-safe: no lock, no allocation, thread-local
// reads and at most one shared one (the region's record, or the slot of the mutex that the thread
// wants).
#pragma once

#include "omp_collector_api.h"
#include "thread_record.h"

#include <cstdint>

namespace ocb::answers {

struct State {
    int state;
    std::uint64_t wait_id;
};

// For a thread that executes the program's code, no mutex in hand.
inline int state_of_code(const ThreadRecord &record) {
    const Frame *frame = record.frame.get();
    return frame != nullptr && visible_id(frame->key) != 0 ? THR_WORK_STATE : THR_SERIAL_STATE;
}

// For all others.
State state_beyond_code();

// Most are found in the program's code and answered without a call.
inline State state_of_caller() {
    const ThreadRecord *record = own_record;
    if (record == nullptr || record->is_in_callback() || !record->sees_waits.get() ||
        record->mutex.get() != MutexKind::kNone || record->activity.get() != Activity::kUser)
        return state_beyond_code();
    return {state_of_code(*record), 0};
}

std::uint64_t region_of_caller();

struct Parent {
    OMP_COLLECTORAPI_EC error;
    std::uint64_t region_id;
};
Parent parent_of_caller();

// The explicit task that the caller executes, and the one that created it; -1: none.
int task_of_caller();
int parent_task_of_caller();

// The state that a thread's record shows, outside callbacks; wait_id is written in wait states.
int state_of(const ThreadRecord &record, std::uint64_t &wait_id);

// The same without the runtime's own word, for any thread's record.
int state_by_record(const ThreadRecord &record, std::uint64_t &wait_id);

// Whether the thread waits for the mutex that it wants.
bool waits_for_mutex(const ThreadRecord &record);

} // namespace ocb::answers
