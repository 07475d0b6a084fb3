// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include "ompt_types.h"
#include "runtime.h"

namespace ocb::gomp {
namespace {

struct EventRow {
    ompt_callbacks_t event;
    ompt_set_result_t support;
    Function needs = kFunctionCount; // without it in libgomp the event is never reported
};

bool has_what_it_needs(const EventRow &row) {
    const Runtime *runtime = first_runtime();
    return row.needs == kFunctionCount ||
           (runtime != nullptr && runtime->functions[row.needs] != nullptr);
}

// Events that are not here exist but are never reported: gcc compiles their constructs without a
// call (flush), or they concern devices. Up to gcc 16 that holds for the last three, too; gcc 17
// has calls where the program is compiled with -fopenmp-ompt.
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
    {ompt_callback_masked, ompt_set_sometimes_paired, k_GOMP_masked_end},
    {ompt_callback_reduction, ompt_set_sometimes_paired, k_GOMP_reduction_end},
    {ompt_callback_dispatch, ompt_set_sometimes, k_GOMP_loop_static_worksharing_dispatch},
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
            return has_what_it_needs(row) ? row.support : ompt_set_never;
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
