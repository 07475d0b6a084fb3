// SPDX-License-Identifier: Apache-2.0
// A client tool: another OMPT tool beside us. A runtime has room for one tool; where another one is
// named (OCB_TOOL_LIBRARIES) or found behind us, it gets a session of its own through ours: its
// callbacks (client_callbacks.h), its data values (client_data.h), its lookup. To the client tool
// we are the runtime.
#pragma once

#include "spec/ompt5.h"

namespace ocb::ompt5::multiplex {

// Looks for a client tool. Before the runtime has got our own answer; loads libraries.
void find_client_tool(unsigned omp_version, const char *runtime_version);

// The question that looks for one is under way, and is not to be answered with the bridge.
[[nodiscard]] bool asks_for_client_tool();

// On a runtime that is too old for one: says so if there is one, one is named, or one stands behind
// us that this runtime would have found by its `entry` (null: that has been asked).
void drop_client_tool(const char *entry);

// Inside our own initialize and finalize. After begin, every callback of ours that the client tool
// shares is registered through shared_callback.
void begin(ompt_function_lookup_t lookup, int initial_device_num);
void end();

} // namespace ocb::ompt5::multiplex
