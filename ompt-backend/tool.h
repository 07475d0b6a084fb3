// SPDX-License-Identifier: Apache-2.0
// Our OMPT tool: registration with the runtime and the entry points that the runtime lends us.
#pragma once

#include "ompt5.h"

#include <atomic>

namespace ocb::ompt5 {

// Null members: the runtime does not have them. Valid while the tool is attached.
struct EntryPoints {
    ompt_set_callback_t set_callback = nullptr;
    ompt_get_state_t get_state = nullptr;
    ompt_get_task_info_t get_task_info = nullptr;
    ompt_get_thread_data_t get_thread_data = nullptr;
};
extern constinit EntryPoints entry_points;
extern constinit std::atomic<bool> is_attached;

// Keeps this library mapped and makes its symbols visible to everybody in the process. However it
// was loaded, the runtime must find ompt_start_tool, and collectors must find the Collector API.
void stay_and_become_visible();

// A runtime's tools interface lacks what we need; said when it was found out.
extern constinit std::atomic<bool> is_insufficient;

// A runtime has asked for our tool and is about to initialise it.
bool is_being_asked();

} // namespace ocb::ompt5
