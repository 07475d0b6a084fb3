// SPDX-License-Identifier: Apache-2.0
// The OMPT 5.x callbacks: each turns the runtime's report into a call of
// collector-bridge/tracker.h. One table says which callback serves which need; a row is registered
// when its need arises.
#pragma once

#include "ompt5.h"
#include "runtime.h"

#include <cstddef>
#include <cstdint>

namespace ocb::ompt5 {

struct CallbackRow {
    ompt_callbacks_t id;
    const char *name;
    ompt_callback_t function;
    Needs needs; // registered when one of these is wanted
};

constexpr std::size_t kCallbackCount = 16;
extern const CallbackRow kCallbacks[kCallbackCount];

// The callback of mutex_acquire, for one who stands between the runtime's function `caller` and us.
void mutex_acquire_from(const void *caller, ompt_mutex_t kind, unsigned hint, unsigned impl,
                        ompt_wait_id_t wait_id, const void *codeptr_ra);

// Code ranges of the runtime's test_lock and test_nest_lock. libomp before 17 reports their
// attempts as if they were going to wait; who calls us tells them apart.
struct CodeRange {
    std::uintptr_t begin = 0, end = 0;
    bool holds(const void *address) const {
        return reinterpret_cast<std::uintptr_t>(address) - begin < end - begin;
    }
};
extern constinit CodeRange test_lock_code, test_nest_lock_code;

// KMP_LOCK_KIND=futex: locks without a queue that the runtime reports as queuing.
extern constinit bool locks_are_futexes;

} // namespace ocb::ompt5
