// SPDX-License-Identifier: Apache-2.0
// The data values of a client tool beside ours. The runtime keeps one word per thread, parallel
// region and task for its tool. The bridge leaves the thread's word to the client tool. A region's
// word leads to our RegionRecord, which has a place for the client's; a task's word leads to a
// TaskRecord with both words, where there is a client tool.
#pragma once

#include "base/compiler.h"
#include "spec/ompt5.h"
#include "tracker/tracker.h"

namespace ocb::ompt5::multiplex {

// True while a client tool has a session. Constant while the runtime runs our callbacks.
extern constinit bool has_client_tool OCB_INTERNAL;

struct TaskRecord {
    tracker::TaskWord word = 0; // ours
    ompt_data_t client{0};
    TaskRecord *next_free = nullptr;
};

// The record behind a task's data, made at first sight. Not in a signal handler.
[[nodiscard]] TaskRecord &task_record(ompt_data_t &data);

// Where our word of a task lies.
[[nodiscard]] inline tracker::TaskWord &task_word(ompt_data_t *data) {
    return has_client_tool ? task_record(*data).word : data->value;
}

// In callbacks: made at first sight. Null for null.
[[nodiscard]] ompt_data_t *client_data_of_region(ompt_data_t *data);
[[nodiscard]] ompt_data_t *client_data_of_task(ompt_data_t *data);

// Async-signal-safe: what is not there yet is nobody's data, which stays 0.
[[nodiscard]] ompt_data_t *known_client_data_of_region(const ompt_data_t *data);
[[nodiscard]] ompt_data_t *known_client_data_of_task(const ompt_data_t *data);

// A task ends. The implicit task that ended last on a thread is kept until the thread's next begins
// or the thread ends: in the parallel_end of a serialized region the runtime still names it.
void drop_task(ompt_data_t *data);
void end_implicit_task(const ompt_data_t *data);
void drop_ended_task();

void reset_after_fork();

} // namespace ocb::ompt5::multiplex

namespace ocb::ompt5 {
using multiplex::task_word;
}
