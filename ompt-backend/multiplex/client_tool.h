// SPDX-License-Identifier: Apache-2.0
// A further OMPT tool beside us. A runtime has room for one tool; where another one is named
// (OCB_TOOL_LIBRARIES) or found behind us, it gets a session of its own through ours: its
// callbacks, its data values, its lookup. We are the guest's runtime.
//
// Data: the runtime keeps one word per thread, parallel region and task for its tool. Ours for
// threads we do not use, the guest has it. A region's word leads to our RegionRecord, which holds
// the guest's; a task's word leads to a TaskRecord with both words, where there is a guest.
#pragma once

#include "runtime.h"
#include "spec/ompt5.h"
#include "tracker/tracker.h"

#include <cstdint>

namespace ocb::ompt5::chain {

// Looks for a guest. Before the runtime has got our own answer; loads libraries.
void find_guest(unsigned omp_version, const char *runtime_version);

// On a runtime that is too old for one: says so if there is a guest, or one is named.
void drop_guest();

// Inside our own initialize and finalize. After begin, every callback of ours that the guest shares
// is registered through chain_callback.
void begin(ompt_function_lookup_t lookup, int initial_device_num);
void end();
void reset_after_fork();

// True while a guest has a session. Constant while the runtime runs our callbacks.
extern constinit bool has_guest;

// The function to register with the runtime for a callback of ours: itself, or with a guest the one
// that serves both.
ompt_callback_t shared_callback(ompt_callbacks_t id, ompt_callback_t ours);

struct TaskRecord {
    tracker::TaskWord word = 0; // ours
    ompt_data_t guest{0};
    TaskRecord *next_free = nullptr;
};

// The record behind a task's data, made at first sight. Not in a signal handler.
TaskRecord &task_record(ompt_data_t &data);

// Where our word of a task lies.
inline tracker::TaskWord &task_word(ompt_data_t *data) {
    return has_guest ? task_record(*data).word : data->value;
}

} // namespace ocb::ompt5::chain

namespace ocb::ompt5 {
using chain::task_word;
}
