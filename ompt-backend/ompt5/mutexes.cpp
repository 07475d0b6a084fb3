// SPDX-License-Identifier: Apache-2.0
// The callbacks of mutexes. Ordered regions have functions of their own.
#include "ompt5/callbacks.h"

#include "base/log.h"
#include "ompt5/entry_points.h"

namespace ocb::ompt5 {
namespace {

constexpr bool is_same(MutexKind kind, ompt_mutex_t reported) {
    return static_cast<int>(kind) == static_cast<int>(reported);
}
static_assert(is_same(MutexKind::kLock, ompt_mutex_lock) &&
              is_same(MutexKind::kTestLock, ompt_mutex_test_lock) &&
              is_same(MutexKind::kNestLock, ompt_mutex_nest_lock) &&
              is_same(MutexKind::kTestNestLock, ompt_mutex_test_nest_lock) &&
              is_same(MutexKind::kCritical, ompt_mutex_critical) &&
              is_same(MutexKind::kAtomic, ompt_mutex_atomic) &&
              is_same(MutexKind::kOrdered, ompt_mutex_ordered));

constexpr bool is_mutex_kind(ompt_mutex_t kind) {
    return static_cast<unsigned>(kind) <= ompt_mutex_ordered;
}

tracker::MutexOrder order_of(unsigned impl) {
    return impl == queuing_implementation ? tracker::MutexOrder::kQueue
                                          : tracker::MutexOrder::kNone;
}

// libomp before 17 reports a test like a wait; the return address distinguishes them.
bool can_wait(const void *caller, MutexKind kind) {
    if (kind >= MutexKind::kCritical) {
        return true;
    }
    return (kind == MutexKind::kLock || kind == MutexKind::kNestLock) &&
           !test_lock_code.holds(caller) && !test_nest_lock_code.holds(caller);
}

} // namespace

void mutex_wanted(const void *caller, MutexKind kind, unsigned impl, ompt_wait_id_t wait_id) {
    if (kind == MutexKind::kOrdered) {
        return tracker::ordered_wanted(WaitId{wait_id});
    }
    if (can_wait(caller, kind)) [[likely]] {
        tracker::mutex_wanted(kind, WaitId{wait_id}, order_of(impl));
    }
}

void mutex_acquired(MutexKind kind, WaitId wait_id) {
    if (kind == MutexKind::kOrdered) {
        return tracker::ordered_begins();
    }
    tracker::mutex_acquired(kind, wait_id);
}

void mutex_released(MutexKind kind, WaitId wait_id) {
    if (kind == MutexKind::kOrdered) {
        return tracker::ordered_ends();
    }
    tracker::mutex_released(kind, wait_id);
}

void mutex_acquire_from(const void *caller, ompt_mutex_t kind, unsigned, unsigned impl,
                        ompt_wait_id_t wait_id, const void *) {
    if (is_mutex_kind(kind)) [[likely]] {
        return mutex_wanted(caller, static_cast<MutexKind>(kind), impl, wait_id);
    }
    record_unknown_kind(LogCause::kUnknownMutex, kind);
}

void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                      const void *codeptr_ra) {
    mutex_acquire_from(__builtin_return_address(0), kind, hint, impl, wait_id, codeptr_ra);
}

void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *) {
    if (is_mutex_kind(kind)) [[likely]] {
        return mutex_acquired(static_cast<MutexKind>(kind), WaitId{wait_id});
    }
    record_unknown_kind(LogCause::kUnknownMutex, kind);
}

void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *) {
    if (is_mutex_kind(kind)) [[likely]] {
        return mutex_released(static_cast<MutexKind>(kind), WaitId{wait_id});
    }
    record_unknown_kind(LogCause::kUnknownMutex, kind);
}

void on_lock_init(ompt_mutex_t, unsigned, unsigned, ompt_wait_id_t wait_id, const void *) {
    tracker::lock_begins_or_ends(WaitId{wait_id});
}

void on_lock_destroy(ompt_mutex_t, ompt_wait_id_t wait_id, const void *) {
    tracker::lock_begins_or_ends(WaitId{wait_id});
}

void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t, const void *) {
    if (endpoint == ompt_scope_begin) {
        tracker::nest_lock_reacquired();
    }
}

} // namespace ocb::ompt5
