// SPDX-License-Identifier: Apache-2.0
// The entry points that a runtime of before OpenMP 5 provides. There is more than one form of the
// inquiry functions; those that it does not have are null.
#pragma once

#include "spec/tr2.h"

namespace ocb::ompt_tr2 {

struct EntryPoints {
    ompt_set_callback_t set_callback = nullptr;
    ompt_get_state_t get_state = nullptr;
    ompt_get_thread_id_t get_thread_id = nullptr;
    ompt_get_parallel_id_t get_parallel_id = nullptr;
    ompt_get_parallel_team_size_t get_parallel_team_size = nullptr;
    ompt_get_parallel_info_t get_parallel_info = nullptr; // the draft's in place of those two
};
extern constinit EntryPoints entry_points;

// The id of the caller's region, so many levels out; 0: there is none. Async-signal-safe.
[[nodiscard]] ompt_parallel_id_t parallel_id(int ancestor_level);
// Of the caller's innermost team; 0 where the runtime does not report it. Async-signal-safe.
[[nodiscard]] int team_size();

} // namespace ocb::ompt_tr2
