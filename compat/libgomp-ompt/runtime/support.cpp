// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include "ompt_types.h"

namespace ocb::gomp {
namespace {

struct EventRow {
    ompt_callbacks_t event;
    ompt_set_result_t support;
};

// Events that are not here exist but are never reported: gcc compiles their constructs without a
// call (masked, flush, reduction, chunks of static loops), or they concern devices.
constexpr EventRow kEvents[] = {
    {ompt_callback_thread_begin, ompt_set_always},
    {ompt_callback_thread_end, ompt_set_always},
    {ompt_callback_parallel_begin, ompt_set_always},
    {ompt_callback_parallel_end, ompt_set_always},
    {ompt_callback_task_create, ompt_set_always},
    {ompt_callback_task_schedule, ompt_set_always},
    {ompt_callback_implicit_task, ompt_set_always},
    {ompt_callback_control_tool, ompt_set_always},
    {ompt_callback_sync_region_wait, ompt_set_always},
    {ompt_callback_sync_region, ompt_set_always},
    {ompt_callback_mutex_released, ompt_set_always},
    {ompt_callback_mutex_acquire, ompt_set_always},
    {ompt_callback_mutex_acquired, ompt_set_always},
    {ompt_callback_nest_lock, ompt_set_always},
    {ompt_callback_lock_init, ompt_set_always},
    {ompt_callback_lock_destroy, ompt_set_always},
    {ompt_callback_dependences, ompt_set_always},
    {ompt_callback_work, ompt_set_sometimes_paired}, // not of static loops
    {ompt_callback_cancel, ompt_set_sometimes},      // not of tasks that are dropped
};

struct Named {
    int number;
    const char *name;
};

constexpr Named kStates[] = {
    {ompt_state_work_serial, "ompt_state_work_serial"},
    {ompt_state_work_parallel, "ompt_state_work_parallel"},
    {ompt_state_wait_barrier, "ompt_state_wait_barrier"},
    {ompt_state_wait_barrier_explicit, "ompt_state_wait_barrier_explicit"},
    {ompt_state_wait_barrier_implicit_parallel, "ompt_state_wait_barrier_implicit_parallel"},
    {ompt_state_wait_barrier_implicit_workshare, "ompt_state_wait_barrier_implicit_workshare"},
    {ompt_state_wait_barrier_implementation, "ompt_state_wait_barrier_implementation"},
    {ompt_state_wait_taskwait, "ompt_state_wait_taskwait"},
    {ompt_state_wait_taskgroup, "ompt_state_wait_taskgroup"},
    {ompt_state_wait_lock, "ompt_state_wait_lock"},
    {ompt_state_wait_critical, "ompt_state_wait_critical"},
    {ompt_state_wait_atomic, "ompt_state_wait_atomic"},
    {ompt_state_wait_ordered, "ompt_state_wait_ordered"},
    {ompt_state_idle, "ompt_state_idle"},
    {ompt_state_overhead, "ompt_state_overhead"},
};

constexpr Named kMutexImpls[] = {{kFutex, "futex"}};

// The row behind `current`; the first one for `before_first`.
template <int kCount>
int enumerate(const Named (&rows)[kCount], int before_first, int current, int *next,
              const char **name) {
    int i = 0;
    if (current != before_first) {
        while (i < kCount && rows[i++].number != current) {
            continue;
        }
    }
    if (i >= kCount) {
        return 0;
    }
    *next = rows[i].number;
    *name = rows[i].name;
    return 1;
}

constexpr int kLastEvent = 39; // of OpenMP 5.1

} // namespace

int support_of(int event) {
    for (const EventRow &row : kEvents) {
        if (row.event == event) {
            return row.support;
        }
    }
    return event <= kLastEvent ? ompt_set_never : ompt_set_error;
}

int enumerate_states(int current, int *next, const char **name) {
    return enumerate(kStates, ompt_state_undefined, current, next, name);
}

int enumerate_mutex_impls(int current, int *next, const char **name) {
    return enumerate(kMutexImpls, 0, current, next, name);
}

} // namespace ocb::gomp
