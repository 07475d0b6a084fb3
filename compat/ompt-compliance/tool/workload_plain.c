/* SPDX-License-Identifier: Apache-2.0
 *
 * See workload.h. Built without optimisation and with frame pointers: the checks of frames compare
 * addresses of the functions here.
 */
#define _GNU_SOURCE
#include "workload_parts.h"

#include <dlfcn.h>
#include <omp.h>
#include <stddef.h>

struct WorkloadHooks workload_hooks;
static int active_levels = 1;

static void set_hooks(const struct WorkloadHooks *given) {
    workload_hooks = *given;
}

static void set_nesting(int levels) {
    active_levels = levels;
    /* Runtimes before OpenMP 5 have a switch beside the number of levels. */
    void (*set_nested)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "omp_set_nested");
    if (set_nested) {
        set_nested(levels > 1);
    }
    omp_set_max_active_levels(levels);
}

static int initialise(void) {
#ifndef __clang__
    /* libgomp-ompt stands in front of these calls, not of the next one. */
    omp_lock_t lock;
    omp_init_lock(&lock);
    omp_destroy_lock(&lock);
#endif
    return omp_get_max_threads();
}

void workload_wait(volatile int *flag, int value, const char *awaited) {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < value) {
        workload_hooks.patience(awaited);
    }
}

void workload_raise(volatile int *flag, int value) {
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

/* Events and inquiries ------------------------------------------------------------------------- */

static void nested_at(int depth, int deepest, int n) {
    workload_hooks.point(kPointBeforeRegion, depth, depth > active_levels);
#pragma omp parallel num_threads(n)
    {
        workload_hooks.point(kPointInRegion, depth, omp_get_thread_num());
        if (depth < deepest) {
            nested_at(depth + 1, deepest, n);
        }
    }
    workload_hooks.point(kPointAfterRegion, depth, 0);
}

static void nested(int depth, int n) {
    workload_hooks.point(kPointSerial, 0, 0);
    nested_at(1, depth, n);
    workload_hooks.point(kPointSerial, 1, 0);
}

static void serialised(void) {
    workload_hooks.point(kPointBeforeRegion, 1, 1);
#pragma omp parallel if (0)
    { workload_hooks.point(kPointInRegion, 1, omp_get_thread_num()); }
    workload_hooks.point(kPointAfterRegion, 1, 1);
    workload_hooks.point(kPointBeforeRegion, 1, 0);
#pragma omp parallel num_threads(2)
    {
        workload_hooks.point(kPointInRegion, 1, omp_get_thread_num());
        workload_hooks.point(kPointBeforeRegion, 2, 1);
#pragma omp parallel num_threads(1)
        { workload_hooks.point(kPointInRegion, 2, omp_get_thread_num()); }
        workload_hooks.point(kPointAfterRegion, 2, 1);
    }
    workload_hooks.point(kPointAfterRegion, 1, 0);
}

static void tasks(int n) {
#pragma omp parallel num_threads(n)
    {
        for (int i = 0; i < 4; ++i) {
            workload_hooks.point(kPointBeforeTask, 1, 0);
#pragma omp task
            {
                workload_hooks.point(kPointInTask, 1, 0);
                workload_hooks.point(kPointBeforeTask, 2, 0);
#pragma omp task
                { workload_hooks.point(kPointInTask, 2, 0); }
#pragma omp taskwait
            }
        }
#pragma omp taskwait
        workload_hooks.point(kPointBeforeTask, 1, 1);
#pragma omp task if (0)
        { workload_hooks.point(kPointInTask, 1, 1); }
        workload_hooks.point(kPointAfterTask, 1, 1);
    }
}

/* Undeferred, so that each task runs on the thread that has created it. */
static void nested_task_at(int depth, int deepest) {
    workload_hooks.point(kPointBeforeTask, depth, 1);
#pragma omp task if (0)
    {
        workload_hooks.point(kPointInTask, depth, 1);
        if (depth < deepest) {
            nested_task_at(depth + 1, deepest);
        }
    }
    workload_hooks.point(kPointAfterTask, depth, 1);
}

static void nested_tasks(int depth) {
#pragma omp parallel num_threads(2)
    {
        workload_hooks.point(kPointInRegion, 1, omp_get_thread_num());
        nested_task_at(1, depth);
    }
}

/* Codes A (this function), B (the outer region) and C (the inner one) of the report's figure: two
 * threads, the second of which meets an inner region. */
static void frames(void) {
    volatile int seen = 0;
    workload_hooks.point(kPointBeforeRegion, 1, 0);
#pragma omp parallel num_threads(2)
    {
        const int thread = omp_get_thread_num();
        workload_hooks.point(kPointOuterRegion, 1, thread);
        if (thread == 1) {
#pragma omp parallel num_threads(2)
            {
                if (omp_get_thread_num() == 0) {
                    workload_hooks.point(kPointInnerRegion, 2, thread);
                }
            }
            workload_raise(&seen, 1);
        } else {
            /* Stays in code B, so that its frame exists while the other thread looks. */
            workload_wait(&seen, 1, "the second thread of a team of two");
        }
    }
    workload_hooks.point(kPointAfterRegion, 1, 0);
}

static void two_sizes(int outer, int inner) {
    workload_hooks.point(kPointSerial, 0, 0);
#pragma omp parallel num_threads(outer)
    {
        workload_hooks.point(kPointInRegion, 1, omp_get_thread_num());
#pragma omp parallel num_threads(inner)
        { workload_hooks.point(kPointInRegion, 2, omp_get_thread_num()); }
    }
    workload_hooks.point(kPointSerial, 1, 0);
}

static const struct Workload kWorkload = {
    .set_hooks = set_hooks,
    .set_nesting = set_nesting,
    .initialise = initialise,
    .nested = nested,
    .serialised = serialised,
    .tasks = tasks,
    .nested_tasks = nested_tasks,
    .frames = frames,
    .two_sizes = two_sizes,
    .body = sampled_body,
    .reduction = sampled_reduction,
    .barrier_explicit = sampled_barrier_explicit,
    .barrier_worksharing = sampled_barrier_worksharing,
    .barrier_join = sampled_barrier_join,
    .taskwait = sampled_taskwait,
    .taskgroup = sampled_taskgroup,
    .lock = sampled_lock,
    .nest_lock = sampled_nest_lock,
    .critical = sampled_critical,
    .atomic = sampled_atomic,
    .ordered = sampled_ordered,
};

const struct Workload *ompt_compliance_workload(void) {
    return &kWorkload;
}
