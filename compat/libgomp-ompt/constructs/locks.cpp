// SPDX-License-Identifier: Apache-2.0
// Locks and nestable locks, from C and from Fortran, in libgomp's two versions: OMP_3.0 is today's
// and the default, OMP_1.0 is that of programs built by gcc before 4.4. Each goes on to its own.
// Fortran's names pass the same address.
#include "mutex.h"

namespace ocb::gomp {
namespace {

// A nestable lock in the hands of this thread: how often it is set. The lock's layout is libgomp's
// own; setting it once more by test tells.
struct NestLock {
    const Runtime &runtime;
    Function test;
    Function unset;
    void *lock;

    [[nodiscard]] int depth() const {
        const int deeper = function_of<int (*)(void *)>(runtime, test)(lock);
        if (deeper == 0) {
            return 0; // another's, against the rules
        }
        function_of<void (*)(void *)>(runtime, unset)(lock);
        return deeper - 1;
    }
};

constexpr Events kInitEvents = events(ompt_callback_lock_init);
constexpr Events kDestroyEvents = events(ompt_callback_lock_destroy);
constexpr Events kNestEvents = kAcquireEvents | kReleaseEvents | events(ompt_callback_nest_lock);

bool nest_lock_events_are_wanted() {
    return callbacks[ompt_callback_nest_lock].load(std::memory_order_relaxed) != nullptr ||
           callbacks[ompt_callback_mutex_acquired].load(std::memory_order_relaxed) != nullptr ||
           callbacks[ompt_callback_mutex_released].load(std::memory_order_relaxed) != nullptr;
}

void report_nest_lock(ompt_scope_endpoint_t endpoint, void *lock, const void *code) {
    if (auto tell = callback<ompt_callback_nest_lock_t>(ompt_callback_nest_lock)) {
        tell(endpoint, id_of(lock), code);
    }
}

// Set to this depth by now.
void report_nest_lock_set(int depth, void *lock, const void *code) {
    if (depth == 1) {
        report_mutex(ompt_callback_mutex_acquired, ompt_mutex_nest_lock, id_of(lock), code);
    } else {
        report_nest_lock(ompt_scope_begin, lock, code);
    }
}

void report_init(ompt_mutex_t kind, void *lock, const void *code) {
    if (auto tell = callback<ompt_callback_mutex_acquire_t>(ompt_callback_lock_init)) {
        tell(kind, 0, kFutex, id_of(lock), code);
    }
}

} // namespace
} // namespace ocb::gomp

using namespace ocb::gomp;

#define LOCK_TELLING(events, result, function)                                                     \
    ENTRY_POINT_TELLING(events, result, function, (void *lock), (lock))
#define LOCK_WAITING(events, result, function)                                                     \
    ENTRY_POINT_WAITING(events, result, function, (void *lock), (lock))

#define LOCK_FUNCTIONS(suffix, old)                                                                \
    LOCK_TELLING(kInitEvents, void, omp_init_lock##suffix##old) {                                  \
        REAL(omp_init_lock##suffix##old)(lock);                                                    \
        report_init(ompt_mutex_lock, lock, call.code);                                             \
    }                                                                                              \
    LOCK_TELLING(kInitEvents, void, omp_init_nest_lock##suffix##old) {                             \
        REAL(omp_init_nest_lock##suffix##old)(lock);                                               \
        report_init(ompt_mutex_nest_lock, lock, call.code);                                        \
    }                                                                                              \
    LOCK_TELLING(kDestroyEvents, void, omp_destroy_lock##suffix##old) {                            \
        REAL(omp_destroy_lock##suffix##old)(lock);                                                 \
        report_mutex(ompt_callback_lock_destroy, ompt_mutex_lock, id_of(lock), call.code);         \
    }                                                                                              \
    LOCK_TELLING(kDestroyEvents, void, omp_destroy_nest_lock##suffix##old) {                       \
        REAL(omp_destroy_nest_lock##suffix##old)(lock);                                            \
        report_mutex(ompt_callback_lock_destroy, ompt_mutex_nest_lock, id_of(lock), call.code);    \
    }                                                                                              \
    LOCK_TELLING(kReleaseEvents, void, omp_unset_lock##suffix##old) {                              \
        done_before(lock);                                                                         \
        REAL(omp_unset_lock##suffix##old)(lock);                                                   \
        report_mutex(ompt_callback_mutex_released, ompt_mutex_lock, id_of(lock), call.code);       \
    }                                                                                              \
    LOCK_TELLING(kAcquireEvents, int, omp_test_lock##suffix##old) {                                \
        report_wanted(ompt_mutex_test_lock, id_of(lock), 0, call.code);                            \
        const int is_set = REAL(omp_test_lock##suffix##old)(lock);                                 \
        if (is_set != 0)                                                                           \
            report_mutex(ompt_callback_mutex_acquired, ompt_mutex_test_lock, id_of(lock),          \
                         call.code);                                                               \
        return is_set;                                                                             \
    }                                                                                              \
    LOCK_WAITING(kAcquireEvents, void, omp_set_lock##suffix##old) {                                \
        const auto is_set = [&] { return REAL(omp_test_lock##suffix##old)(lock) != 0; };           \
        const auto set = [&] { REAL(omp_set_lock##suffix##old)(lock); };                           \
        acquire(call, ompt_mutex_lock, ompt_state_wait_lock, id_of(lock), is_set, set);            \
    }                                                                                              \
    LOCK_TELLING(kNestEvents, int, omp_test_nest_lock##suffix##old) {                              \
        report_wanted(ompt_mutex_test_nest_lock, id_of(lock), 0, call.code);                       \
        const int depth = REAL(omp_test_nest_lock##suffix##old)(lock);                             \
        if (depth == 1)                                                                            \
            report_mutex(ompt_callback_mutex_acquired, ompt_mutex_test_nest_lock, id_of(lock),     \
                         call.code);                                                               \
        else if (depth > 1)                                                                        \
            report_nest_lock(ompt_scope_begin, lock, call.code);                                   \
        return depth;                                                                              \
    }                                                                                              \
    LOCK_WAITING(kNestEvents, void, omp_set_nest_lock##suffix##old) {                              \
        const auto is_set = [&] { return REAL(omp_test_nest_lock##suffix##old)(lock) != 0; };      \
        const auto set = [&] { REAL(omp_set_nest_lock##suffix##old)(lock); };                      \
        wait_for_mutex(call, ompt_mutex_nest_lock, ompt_state_wait_lock, id_of(lock), is_set,      \
                       set);                                                                       \
        if (CallType::kIsTold && nest_lock_events_are_wanted())                                    \
            report_nest_lock_set(NestLock{*call.runtime, k_omp_test_nest_lock##suffix##old,        \
                                          k_omp_unset_nest_lock##suffix##old, lock}                \
                                     .depth(),                                                     \
                                 lock, call.code);                                                 \
    }                                                                                              \
    LOCK_TELLING(kNestEvents, void, omp_unset_nest_lock##suffix##old) {                            \
        const int depth = nest_lock_events_are_wanted()                                            \
                              ? NestLock{*call.runtime, k_omp_test_nest_lock##suffix##old,         \
                                         k_omp_unset_nest_lock##suffix##old, lock}                 \
                                    .depth()                                                       \
                              : 1;                                                                 \
        done_before(lock);                                                                         \
        REAL(omp_unset_nest_lock##suffix##old)(lock);                                              \
        if (depth > 1)                                                                             \
            report_nest_lock(ompt_scope_end, lock, call.code);                                     \
        else                                                                                       \
            report_mutex(ompt_callback_mutex_released, ompt_mutex_nest_lock, id_of(lock),          \
                         call.code);                                                               \
    }

LOCK_FUNCTIONS(, )
LOCK_FUNCTIONS(_, )
LOCK_FUNCTIONS(, _old)
LOCK_FUNCTIONS(_, _old)
