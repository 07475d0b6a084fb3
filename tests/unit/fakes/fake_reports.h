// SPDX-License-Identifier: Apache-2.0
// What the two files of the fake runtime share: how a callback of the tool is called.
#pragma once

#include "fake_runtime.h"

extern "C" ocb::ompt5::ompt_start_tool_result_t *ompt_start_tool(unsigned, const char *);

namespace ocb::test {

Flavour flavour();
// Null: the tool has set none.
ompt5::ompt_callback_t callback_of(int callback);

template <class F, class... Args> void fire(int callback, Args... args) {
    if (const auto function = callback_of(callback)) {
        reinterpret_cast<F>(function)(args...);
    }
}

inline const void *const kUserCode = reinterpret_cast<const void *>(&ompt_start_tool);

void report_sync(Barrier barrier, ompt5::ompt_scope_endpoint_t endpoint,
                 ompt5::ompt_data_t *parallel_data, const void *code);
// What ompt_get_state shows of a thread that waits there.
int state_of(Barrier barrier);

} // namespace ocb::test
