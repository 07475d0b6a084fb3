// SPDX-License-Identifier: Apache-2.0
// The steps of every mutex: wanted, acquired, released.
#pragma once

#include "records.h"
#include "routes.h"
#include "support.h"
#include "tool.h"

namespace ocb::gomp {

OCB_INLINE void report_wanted(ompt_mutex_t kind, std::uint64_t wait_id, unsigned hint,
                              const void *code) {
    if (auto tell = callback<ompt_callback_mutex_acquire_t>(ompt_callback_mutex_acquire)) {
        tell(kind, hint, kFutex, wait_id, code);
    }
}

OCB_INLINE void report_mutex(ompt_callbacks_t event, ompt_mutex_t kind, std::uint64_t wait_id,
                             const void *code) {
    if (auto tell = callback<ompt_callback_mutex_t>(event)) {
        tell(kind, wait_id, code);
    }
}

constexpr Events kAcquireEvents = events(ompt_callback_mutex_acquire, ompt_callback_mutex_acquired);
constexpr Events kReleaseEvents = events(ompt_callback_mutex_released);

// `attempt` is a call of the runtime that comes back at once, and whether with the mutex; or it is
// known beforehand whether there is nothing to wait for. `wait` comes back with the mutex. A thread
// that gets a free mutex does not wait, however often it does that.
template <class CallType, class Attempt, class Wait>
OCB_INLINE void wait_for_mutex(const CallType &call, ompt_mutex_t kind, int state,
                               std::uint64_t wait_id, Attempt attempt, Wait wait) {
    if constexpr (CallType::kIsTold) {
        report_wanted(kind, wait_id, 0, call.code);
    }
    if (!attempt()) {
        const InWait waiting(state, wait_id);
        wait();
    }
    seen_behind(reinterpret_cast<const void *>(wait_id));
}

template <class CallType, class Attempt, class Wait>
OCB_INLINE void acquire(const CallType &call, ompt_mutex_t kind, int state, std::uint64_t wait_id,
                        Attempt attempt, Wait wait) {
    wait_for_mutex(call, kind, state, wait_id, attempt, wait);
    if constexpr (CallType::kIsTold) {
        report_mutex(ompt_callback_mutex_acquired, kind, wait_id, call.code);
    }
}

} // namespace ocb::gomp
