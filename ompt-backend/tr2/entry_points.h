// SPDX-License-Identifier: Apache-2.0
// What a runtime of before OpenMP 5 lends its tool. There is more than one form of the inquiry
// functions; those that it does not have are null.
#pragma once

#include "adapter.h"
#include "spec/tr2.h"

namespace ocb::ompt_tr2 {

struct EntryPoints {
    ompt_set_callback_t set_callback = nullptr;
    ompt_get_state_t get_state = nullptr;
    ompt_get_thread_id_t get_thread_id = nullptr;
    ompt_get_parallel_id_t get_parallel_id = nullptr;
    ompt_get_parallel_info_t get_parallel_info = nullptr; // the draft's in place of that
};
extern constinit EntryPoints entry_points;

// The id of the caller's region, so many levels out; 0: there is none. Async-signal-safe.
ompt_parallel_id_t parallel_id(int ancestor_level);

ThreadFacts facts_of_caller();
void adopt_caller();

// Whether the runtime has shown a thread waiting for a mutex and has never called us for any.
bool mutexes_are_silent();
void note_mutex_event();

constexpr std::size_t kCallbackCount = 42;
extern const ompt::CallbackRow kCallbacks[kCallbackCount];

} // namespace ocb::ompt_tr2
