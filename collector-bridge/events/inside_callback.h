// SPDX-License-Identifier: Apache-2.0
// A thread inside of a collector's callback. Three things are here: its answers there, the words of
// its record that OpenMP inside the callback may change, and a callback that is left by longjmp.
// The data is in the thread's record and belongs to that thread. The answers are async-signal-safe.
#pragma once

#include "records/state_of.h"
#include "records/tables.h"
#include "records/thread_record.h"

namespace ocb::events {

// The answers follow from the event and the record, which does not change while the callback runs.
// In FORK and JOIN they follow from the region that the master forks or leaves. `answers` has them
// where they differ from the record (idleness, tasks), or where OpenMP inside the callback is about
// to change it.
inline int state_inside(const ThreadRecord &record, WaitId &wait_id) {
    if (record.has_answers.get()) {
        wait_id = record.answers.wait_id;
        return record.answers.state;
    }
    wait_id = record.wait_id.get();
    const int state = event_state(record.event());
    return state != kOwnState ? state : state_of(record, wait_id);
}

OCB_ALWAYS_INLINE RegionId region_inside(const ThreadRecord &record) {
    if (record.has_answers.get()) {
        return record.answers.region_id;
    }
    if (record.event_of.region != nullptr) {
        return visible_id(record.event_of.key);
    }
    const ImplicitTask *implicit_task = record.implicit_task.get();
    return implicit_task != nullptr ? implicit_task->region_id() : RegionId::kNone;
}

// The record's answers at this moment, without a state: deliver_with_state_of_event() of pairs.h
// adds it.
inline EventAnswers answers_of(const ThreadRecord &record) {
    const ImplicitTask *implicit_task = record.implicit_task.get();
    const bool has_region = implicit_task != nullptr;
    return {.wait_id = record.wait_id.get(),
            .region_id = has_region ? implicit_task->region_id() : RegionId::kNone,
            .parent_id = has_region ? implicit_task->parent_id : RegionId::kNone,
            .state = kOwnState,
            .is_master = has_region && implicit_task->thread_num == 0,
            .task = record.task.get()};
}

// All answers inside the callback, the state included.
[[nodiscard]] EventAnswers answers_inside(const ThreadRecord &record);

// The thread reports something while it is in a callback. `frame` is the canonical frame address of
// the tracker's function. Either the callback uses OpenMP: then the record keeps what the report
// will change. Or the callback was left by longjmp or an exception: then it has ended here.
void report_inside_callback(ThreadRecord &record, const void *frame);

// The end of a callback that has used OpenMP, or of one that has been left: the record is what it
// was before.
void end_callback(ThreadRecord &record);

} // namespace ocb::events
