// SPDX-License-Identifier: Apache-2.0
// The steps of every mutex: wanted, acquired, released.
#pragma once

#include "records.h"
#include "support.h"
#include "tool.h"

namespace ocb::gomp {

inline void tell_wanted(ompt_mutex_t kind, std::uint64_t wait_id, unsigned hint, const void *code) {
    if (auto tell = callback<ompt_callback_mutex_acquire_t>(ompt_callback_mutex_acquire)) {
        tell(kind, hint, kFutex, wait_id, code);
    }
}

inline void tell_mutex(ompt_callbacks_t event, ompt_mutex_t kind, std::uint64_t wait_id,
                       const void *code) {
    if (auto tell = callback<ompt_callback_mutex_t>(event)) {
        tell(kind, wait_id, code);
    }
}

// `wait` is a call of the runtime that comes back with the mutex.
template <class Wait>
void acquire(const Call &call, ompt_mutex_t kind, int state, std::uint64_t wait_id, Wait wait) {
    ThreadRecord &thread = this_thread(call);
    tell_wanted(kind, wait_id, 0, call.code);
    {
        const InState waiting(thread, state, wait_id);
        wait();
    }
}

} // namespace ocb::gomp
