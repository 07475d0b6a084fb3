// SPDX-License-Identifier: Apache-2.0
// The entry points that a runtime with OpenMP 5 or TR6 lends its tool, and what else was found out
// about it when it initialised us.
#pragma once

#include "adapter.h"
#include "spec/ompt5.h"

namespace ocb::ompt5 {

// Null members: the runtime does not have them. Valid while the tool is attached.
struct EntryPoints {
    ompt_set_callback_t set_callback = nullptr;
    ompt_get_state_t get_state = nullptr;
    ompt_get_task_info_t get_task_info = nullptr;
    ompt_get_thread_data_t get_thread_data = nullptr;
};
extern constinit EntryPoints entry_points;

// False, refused, if the runtime lacks one of them.
bool find_entry_points(ompt_function_lookup_t lookup);

ThreadFacts facts_of_caller();
void adopt_caller();

} // namespace ocb::ompt5
