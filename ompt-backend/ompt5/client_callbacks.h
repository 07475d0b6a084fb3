// SPDX-License-Identifier: Apache-2.0
// The callbacks of a client tool: one function of ours serves both for every callback that both
// have or that carries data of regions or tasks; and the client tool's lookup, through which it
// registers its callbacks with us. Its callbacks' addresses live here.
#pragma once

#include "spec/ompt5.h"

namespace ocb::ompt5::multiplex {

// The function to register with the runtime for a callback of ours: itself, or with a client tool
// the one that serves both.
[[nodiscard]] ompt_callback_t shared_callback(ompt_callbacks_t id, ompt_callback_t ours);

// What the client tool gets in place of the runtime's lookup.
[[nodiscard]] ompt_interface_fn_t look_up(const char *name);

// Before the client tool's initializer, and when its session ends.
void prepare_callbacks(ompt_function_lookup_t runtime_lookup);
void forget_callbacks();

} // namespace ocb::ompt5::multiplex
