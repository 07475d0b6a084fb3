// SPDX-License-Identifier: Apache-2.0
// The one OMPT tool of the process: finding and starting it, its callbacks, its end. tool.cpp owns
// the data. A callback may be set and taken back at any time; it is read once per event.
#pragma once

#include "ompt_types.h"

#include <atomic>

namespace ocb::gomp {

constexpr int kEventCount = 40; // numbers of ompt_callbacks_t

extern std::atomic<ompt_callback_t> callbacks[kEventCount];

// The tool is the bridge, and there is no other one behind it. Written before it is initialised.
extern bool bridge_is_alone;

// Null: the tool does not ask for the event.
template <class Type> Type callback(ompt_callbacks_t event) {
    return reinterpret_cast<Type>(callbacks[event].load(std::memory_order_acquire));
}

// Looks for a tool as the document says and starts it. At most once in a process.
bool start_tool(ompt_function_lookup_t look_up, int (*initial_device)());
// Tells the tool that there is nothing more to come. Once; later calls do nothing.
void finalize_tool();
bool tool_is_active(); // started and not finalized

} // namespace ocb::gomp
