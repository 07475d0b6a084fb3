// SPDX-License-Identifier: Apache-2.0
// critical, atomic and ordered.
#include "mutex.h"

#include <atomic>

namespace ocb::gomp {
namespace {

// Of the one unnamed critical section, and of atomic constructs: libgomp's own cannot be seen. As
// far as the program leaves them by way of this library; else they are taken for good.
struct HiddenMutex {
    std::atomic<bool> is_taken{false};
};
constinit HiddenMutex unnamed_critical;
constinit HiddenMutex atomic_lock;

// libgomp has the mutex of a named section where its name stands for it: 0 is a free one.
bool is_free(void **name) {
    return __atomic_load_n(reinterpret_cast<const int *>(name), __ATOMIC_RELAXED) == 0;
}

// For acquire(): `enter` comes back with the mutex, and at once if it is free.
template <class Enter> OCB_INLINE auto enter_if(bool is_free, Enter enter) {
    return [=] {
        if (is_free) {
            enter();
        }
        return is_free;
    };
}

template <class CallType, class Enter>
OCB_INLINE void acquire_hidden(const CallType &call, ompt_mutex_t kind, int state,
                               HiddenMutex &mutex, Enter real) {
    const auto enter = [&mutex, real] {
        real();
        mutex.is_taken.store(true, std::memory_order_relaxed);
    };
    const bool is_free = !mutex.is_taken.load(std::memory_order_relaxed);
    acquire(call, kind, state, id_of(&mutex), enter_if(is_free, enter), enter);
}

OCB_INLINE void before_release(HiddenMutex &mutex) {
    done_before(&mutex);
    mutex.is_taken.store(false, std::memory_order_relaxed);
}

} // namespace
} // namespace ocb::gomp

using namespace ocb::gomp;

ENTRY_POINT_WAITING(kAcquireEvents, void, GOMP_critical_start, (), ()) {
    acquire_hidden(call, ompt_mutex_critical, ompt_state_wait_critical, unnamed_critical,
                   REAL(GOMP_critical_start));
}

ENTRY_POINT_TELLING(kReleaseEvents, void, GOMP_critical_end, (), ()) {
    before_release(unnamed_critical);
    REAL(GOMP_critical_end)();
    report_mutex(ompt_callback_mutex_released, ompt_mutex_critical, id_of(&unnamed_critical),
                 call.code);
}

ENTRY_POINT_WAITING(kAcquireEvents, void, GOMP_critical_name_start, (void **name), (name)) {
    const auto enter = [&] { REAL(GOMP_critical_name_start)(name); };
    acquire(call, ompt_mutex_critical, ompt_state_wait_critical, id_of(name),
            enter_if(is_free(name), enter), enter);
}

ENTRY_POINT_TELLING(kReleaseEvents, void, GOMP_critical_name_end, (void **name), (name)) {
    done_before(name);
    REAL(GOMP_critical_name_end)(name);
    report_mutex(ompt_callback_mutex_released, ompt_mutex_critical, id_of(name), call.code);
}

ENTRY_POINT_WAITING(kAcquireEvents, void, GOMP_atomic_start, (), ()) {
    acquire_hidden(call, ompt_mutex_atomic, ompt_state_wait_atomic, atomic_lock,
                   REAL(GOMP_atomic_start));
}

ENTRY_POINT_TELLING(kReleaseEvents, void, GOMP_atomic_end, (), ()) {
    before_release(atomic_lock);
    REAL(GOMP_atomic_end)();
    report_mutex(ompt_callback_mutex_released, ompt_mutex_atomic, id_of(&atomic_lock), call.code);
}

// gcc 17 has calls of their own for the lock around a reduction, which is that of atomic
// constructs. From the call that waits for it to its release the thread is in the reduction.
constexpr Events kReductionEvents = events(ompt_callback_reduction);

template <class CallType>
static OCB_INLINE void report_reduction(const CallType &call, ompt_scope_endpoint_t endpoint) {
    if constexpr (CallType::kIsTold) {
        if (auto tell = callback<ompt_callback_sync_region_t>(ompt_callback_reduction)) {
            TaskRecord &task = task_of(this_thread(call));
            tell(ompt_sync_region_reduction, endpoint, &task.region->word, &task.word, call.code);
        }
    }
}

ENTRY_POINT_WAITING(kReductionEvents, void, GOMP_reduction_start, (), ()) {
    set_wait(static_cast<std::uint64_t>(ompt_state_work_reduction) << kWaitStateShift);
    report_reduction(call, ompt_scope_begin);
    REAL(GOMP_reduction_start)();
    atomic_lock.is_taken.store(true, std::memory_order_relaxed);
    seen_behind(&atomic_lock);
}

ENTRY_POINT_WAITING(kReductionEvents, void, GOMP_reduction_end, (), ()) {
    before_release(atomic_lock);
    REAL(GOMP_reduction_end)();
    report_reduction(call, ompt_scope_end);
    set_wait(0);
}

// The turn is the team's.
ENTRY_POINT_WAITING(kAcquireEvents, void, GOMP_ordered_start, (), ()) {
    const std::uint64_t id = id_of(task_of(this_thread(call)).region);
    const auto never = [] { return false; };
    acquire(call, ompt_mutex_ordered, ompt_state_wait_ordered, id, never, REAL(GOMP_ordered_start));
}

ENTRY_POINT_TELLING(kReleaseEvents, void, GOMP_ordered_end, (), ()) {
    done_before(task_of(this_thread(call)).region);
    REAL(GOMP_ordered_end)();
    report_mutex(ompt_callback_mutex_released, ompt_mutex_ordered,
                 id_of(task_of(this_thread(call)).region), call.code);
}
