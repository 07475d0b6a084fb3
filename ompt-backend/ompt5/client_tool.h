// SPDX-License-Identifier: Apache-2.0
// A client tool: another OMPT tool, which runs through the bridge, as a runtime has room for one.
// It is named (OCB_TOOL_LIBRARIES) or found behind the bridge. It has its own callbacks
// (client_callbacks.h), data values (client_data.h) and lookup. To it the bridge is the runtime.
#pragma once

#include "spec/ompt5.h"

namespace ocb::ompt5::multiplex {

// Looks for a client tool, before we answer the runtime. Loads libraries. False: there is none.
bool find_client_tool(unsigned omp_version, const char *runtime_version);

// True while the bridge itself searches for a client tool: it must not find itself.
[[nodiscard]] bool asks_for_client_tool();

// On a runtime that is too old for one: logs that a client tool cannot be used, if one is there, is
// configured, or is next in the runtime's search for `entry` (null: the search has been made).
void drop_client_tool(const char *entry);

// Inside our own initialize and finalize. After begin, every callback of ours that the client tool
// shares is registered through shared_callback.
void begin(ompt_function_lookup_t lookup, int initial_device_num);
void end();

} // namespace ocb::ompt5::multiplex
