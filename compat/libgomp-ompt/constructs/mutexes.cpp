// SPDX-License-Identifier: Apache-2.0
// critical, atomic and ordered.
#include "mutex.h"

namespace ocb::gomp {
namespace {

// What stands for the one unnamed critical section, and for the lock of atomic constructs.
const char kUnnamedCritical = 0;
const char kAtomicLock = 0;

} // namespace
} // namespace ocb::gomp

using namespace ocb::gomp;

ENTRY_POINT_WAITING(kAcquireEvents, void, GOMP_critical_start, (), ()) {
    const std::uint64_t id = id_of(&kUnnamedCritical);
    acquire(call, ompt_mutex_critical, ompt_state_wait_critical, id, REAL(GOMP_critical_start));
}

ENTRY_POINT_TELLING(kReleaseEvents, void, GOMP_critical_end, (), ()) {
    done_before(&kUnnamedCritical);
    REAL(GOMP_critical_end)();
    report_mutex(ompt_callback_mutex_released, ompt_mutex_critical, id_of(&kUnnamedCritical),
                 call.code);
}

ENTRY_POINT_WAITING(kAcquireEvents, void, GOMP_critical_name_start, (void **name), (name)) {
    acquire(call, ompt_mutex_critical, ompt_state_wait_critical, id_of(name), [&] {
        REAL(GOMP_critical_name_start)(name);
    });
}

ENTRY_POINT_TELLING(kReleaseEvents, void, GOMP_critical_name_end, (void **name), (name)) {
    done_before(name);
    REAL(GOMP_critical_name_end)(name);
    report_mutex(ompt_callback_mutex_released, ompt_mutex_critical, id_of(name), call.code);
}

ENTRY_POINT_WAITING(kAcquireEvents, void, GOMP_atomic_start, (), ()) {
    const std::uint64_t id = id_of(&kAtomicLock);
    acquire(call, ompt_mutex_atomic, ompt_state_wait_atomic, id, REAL(GOMP_atomic_start));
}

ENTRY_POINT_TELLING(kReleaseEvents, void, GOMP_atomic_end, (), ()) {
    done_before(&kAtomicLock);
    REAL(GOMP_atomic_end)();
    report_mutex(ompt_callback_mutex_released, ompt_mutex_atomic, id_of(&kAtomicLock), call.code);
}

// The turn is the team's.
ENTRY_POINT_WAITING(kAcquireEvents, void, GOMP_ordered_start, (), ()) {
    const std::uint64_t id = id_of(task_of(this_thread(call)).region);
    acquire(call, ompt_mutex_ordered, ompt_state_wait_ordered, id, REAL(GOMP_ordered_start));
}

ENTRY_POINT_TELLING(kReleaseEvents, void, GOMP_ordered_end, (), ()) {
    done_before(task_of(this_thread(call)).region);
    REAL(GOMP_ordered_end)();
    report_mutex(ompt_callback_mutex_released, ompt_mutex_ordered,
                 id_of(task_of(this_thread(call)).region), call.code);
}
