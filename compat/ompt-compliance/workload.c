/* SPDX-License-Identifier: Apache-2.0
 *
 * See workload.h. Built without optimisation and with frame pointers: the checks of frames compare
 * addresses of the functions here.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <dlfcn.h>
#include <omp.h>
#include <stddef.h>

static struct WorkloadHooks hooks;
static int active_levels = 1;

static void set_hooks(const struct WorkloadHooks *given) {
    hooks = *given;
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
    return omp_get_max_threads();
}

static void wait_for(volatile int *flag, int value, const char *awaited) {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < value) {
        hooks.patience(awaited);
    }
}

static void raise_flag(volatile int *flag, int value) {
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

/* Events and inquiries ------------------------------------------------------------------------- */

static void nested_at(int depth, int deepest, int n) {
    hooks.point(WORKLOAD_BEFORE_REGION, depth, depth > active_levels);
#pragma omp parallel num_threads(n)
    {
        hooks.point(WORKLOAD_IN_REGION, depth, omp_get_thread_num());
        if (depth < deepest) {
            nested_at(depth + 1, deepest, n);
        }
    }
    hooks.point(WORKLOAD_AFTER_REGION, depth, 0);
}

static void nested(int depth, int n) {
    hooks.point(WORKLOAD_SERIAL, 0, 0);
    nested_at(1, depth, n);
    hooks.point(WORKLOAD_SERIAL, 1, 0);
}

static void serialised(void) {
    hooks.point(WORKLOAD_BEFORE_REGION, 1, 1);
#pragma omp parallel if (0)
    { hooks.point(WORKLOAD_IN_REGION, 1, omp_get_thread_num()); }
    hooks.point(WORKLOAD_AFTER_REGION, 1, 1);
    hooks.point(WORKLOAD_BEFORE_REGION, 1, 0);
#pragma omp parallel num_threads(2)
    {
        hooks.point(WORKLOAD_BEFORE_REGION, 2, 1);
#pragma omp parallel num_threads(1)
        { hooks.point(WORKLOAD_IN_REGION, 2, omp_get_thread_num()); }
        hooks.point(WORKLOAD_AFTER_REGION, 2, 1);
    }
    hooks.point(WORKLOAD_AFTER_REGION, 1, 0);
}

static void tasks(int n) {
#pragma omp parallel num_threads(n)
    {
        for (int i = 0; i < 4; ++i) {
            hooks.point(WORKLOAD_BEFORE_TASK, 1, 0);
#pragma omp task
            {
                hooks.point(WORKLOAD_IN_TASK, 1, 0);
                hooks.point(WORKLOAD_BEFORE_TASK, 2, 0);
#pragma omp task
                { hooks.point(WORKLOAD_IN_TASK, 2, 0); }
#pragma omp taskwait
            }
        }
#pragma omp taskwait
        hooks.point(WORKLOAD_BEFORE_TASK, 1, 1);
#pragma omp task if (0)
        { hooks.point(WORKLOAD_IN_TASK, 1, 1); }
        hooks.point(WORKLOAD_AFTER_TASK, 1, 1);
    }
}

/* Undeferred, so that each task runs on the thread that has created it. */
static void nested_task_at(int depth, int deepest) {
    hooks.point(WORKLOAD_BEFORE_TASK, depth, 1);
#pragma omp task if (0)
    {
        hooks.point(WORKLOAD_IN_TASK, depth, 1);
        if (depth < deepest) {
            nested_task_at(depth + 1, deepest);
        }
    }
    hooks.point(WORKLOAD_AFTER_TASK, depth, 1);
}

static void nested_tasks(int depth) {
#pragma omp parallel num_threads(2)
    {
        hooks.point(WORKLOAD_IN_REGION, 1, omp_get_thread_num());
        nested_task_at(1, depth);
    }
}

/* Codes A (this function), B (the outer region) and C (the inner one) of the report's figure: two
 * threads, the second of which meets an inner region. */
static void frames(void) {
    volatile int seen = 0;
    hooks.point(WORKLOAD_BEFORE_REGION, 1, 0);
#pragma omp parallel num_threads(2)
    {
        const int thread = omp_get_thread_num();
        hooks.point(WORKLOAD_OUTER_REGION, 1, thread);
        if (thread == 1) {
#pragma omp parallel num_threads(2)
            {
                if (omp_get_thread_num() == 0) {
                    hooks.point(WORKLOAD_INNER_REGION, 2, thread);
                }
            }
            raise_flag(&seen, 1);
        } else {
            /* Stays in code B, so that its frame exists while the other thread looks. */
            wait_for(&seen, 1, "the second thread of a team of two");
        }
    }
    hooks.point(WORKLOAD_AFTER_REGION, 1, 0);
}

static void two_sizes(int outer, int inner) {
    hooks.point(WORKLOAD_SERIAL, 0, 0);
#pragma omp parallel num_threads(outer)
    {
        hooks.point(WORKLOAD_IN_REGION, 1, omp_get_thread_num());
#pragma omp parallel num_threads(inner)
        { hooks.point(WORKLOAD_IN_REGION, 2, omp_get_thread_num()); }
    }
    hooks.point(WORKLOAD_SERIAL, 1, 0);
}

/* Sampled programs: thread 0 waits for thread 1 ------------------------------------------------ */

static void body(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            hooks.arrive(1);
            hooks.hold(1);
        }
    }
}

struct Sum {
    long parts[8]; /* too large for an atomic instruction: the runtime must choose another method */
};

static void add(struct Sum *into, const struct Sum *from) {
    for (int i = 0; i < 8; ++i) {
        into->parts[i] += from->parts[i];
    }
    /* Long enough to be sampled while thread 0 combines. */
    if (omp_get_thread_num() == 0) {
        hooks.arrive(1);
        hooks.hold(1);
        hooks.arrive(2);
    }
}

#pragma omp declare reduction(slowly                                                               \
                              : struct Sum                                                         \
                              : add(&omp_out, &omp_in)) initializer(omp_priv = omp_orig)

static void reduction(void) {
    struct Sum sum = {{0}};
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1) reduction(slowly : sum)
        for (int i = 0; i < 2; ++i) {
            sum.parts[0] += i;
            if (i == 1) {
                /* Thread 0 comes first, combines alone and then waits. */
                hooks.hold(2);
            } else {
                hooks.arrive(2);
            }
        }
    }
}

static void barrier_explicit(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            hooks.arrive(1);
        } else {
            hooks.hold(1);
        }
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            hooks.arrive(0);
        }
    }
}

static void barrier_worksharing(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 2; ++i) {
            if (omp_get_thread_num() == 0) {
                hooks.arrive(1);
            } else {
                hooks.hold(1);
            }
        }
        if (omp_get_thread_num() == 0) {
            hooks.arrive(0);
        }
    }
}

static void barrier_join(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            hooks.arrive(1);
        } else {
            hooks.hold(1);
        }
    }
    hooks.arrive(0);
}

/* Thread 0 creates a task and goes to wait only when thread 1 executes it: else it would do so
 * itself, and not wait. */
static int taskwait(void) {
    volatile int started = 0;
    int by_another = 1;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp task shared(started, by_another)
            {
                by_another = omp_get_thread_num() != 0;
                raise_flag(&started, 1);
                if (by_another) {
                    hooks.hold(1);
                }
            }
            wait_for(&started, 1, "another thread to execute a task");
            hooks.arrive(1);
#pragma omp taskwait
            hooks.arrive(0);
        }
    }
    return by_another;
}

static int taskgroup(void) {
    volatile int started = 0;
    int by_another = 1;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp taskgroup
            {
#pragma omp task shared(started, by_another)
                {
                    by_another = omp_get_thread_num() != 0;
                    raise_flag(&started, 1);
                    if (by_another) {
                        hooks.hold(2);
                    }
                }
                wait_for(&started, 1, "another thread to execute a task");
                hooks.arrive(2);
            }
            hooks.arrive(0);
        }
    }
    return by_another;
}

static void lock(void) {
    omp_lock_t mutex;
    volatile int held = 0;
    omp_init_lock(&mutex);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            wait_for(&held, 1, "the second thread to hold a lock");
            hooks.arrive(1);
            omp_set_lock(&mutex);
            hooks.arrive(0);
        } else {
            omp_set_lock(&mutex);
            raise_flag(&held, 1);
            hooks.hold(1);
        }
        omp_unset_lock(&mutex);
    }
    omp_destroy_lock(&mutex);
}

static void nest_lock(void) {
    omp_nest_lock_t mutex;
    volatile int held = 0;
    omp_init_nest_lock(&mutex);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            wait_for(&held, 1, "the second thread to hold a nestable lock");
            hooks.arrive(1);
            omp_set_nest_lock(&mutex);
            hooks.arrive(0);
        } else {
            omp_set_nest_lock(&mutex);
            raise_flag(&held, 1);
            hooks.hold(1);
        }
        omp_unset_nest_lock(&mutex);
    }
    omp_destroy_nest_lock(&mutex);
}

static void critical(void) {
    volatile int held = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            wait_for(&held, 1, "the second thread to be in a critical region");
            hooks.arrive(1);
#pragma omp critical(ompt_compliance)
            hooks.arrive(0);
        } else {
#pragma omp critical(ompt_compliance)
            {
                raise_flag(&held, 1);
                hooks.hold(1);
            }
        }
    }
}

/* An atomic update of something that no instruction can update: compilers put the runtime's own
 * pair of functions around it. clang does so in no case, gcc does for long double. */
static int atomic(void) {
    volatile int held = 0;
    void (*start)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "__kmpc_atomic_start");
    void (*end)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "__kmpc_atomic_end");
    if (!start || !end) {
        start = (void (*)(void))dlsym(RTLD_DEFAULT, "GOMP_atomic_start");
        end = (void (*)(void))dlsym(RTLD_DEFAULT, "GOMP_atomic_end");
    }
    if (!start || !end) {
        return 0;
    }
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            wait_for(&held, 1, "the second thread to be in an atomic region");
            hooks.arrive(1);
            start();
            hooks.arrive(0);
        } else {
            start();
            raise_flag(&held, 1);
            hooks.hold(1);
        }
        end();
    }
    return 1;
}

/* Iterations 0 and 2 are thread 0's: in the third it waits for its turn, in the end for the
 * others. */
static void ordered(void) {
    volatile int turn = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1) ordered
        for (int i = 0; i < 4; ++i) {
            if (i == 2) {
                wait_for(&turn, 1, "the second iteration of an ordered loop");
                hooks.arrive(1);
            }
#pragma omp ordered
            {
                if (i == 1) {
                    raise_flag(&turn, 1);
                    hooks.hold(1);
                } else if (i == 2) {
                    hooks.arrive(2);
                } else if (i == 3) {
                    hooks.hold(2);
                }
            }
        }
    }
    hooks.arrive(0);
}

const struct Workload ompt_compliance_workload = {
    .set_hooks = set_hooks,
    .set_nesting = set_nesting,
    .initialise = initialise,
    .nested = nested,
    .serialised = serialised,
    .tasks = tasks,
    .nested_tasks = nested_tasks,
    .frames = frames,
    .two_sizes = two_sizes,
    .body = body,
    .reduction = reduction,
    .barrier_explicit = barrier_explicit,
    .barrier_worksharing = barrier_worksharing,
    .barrier_join = barrier_join,
    .taskwait = taskwait,
    .taskgroup = taskgroup,
    .lock = lock,
    .nest_lock = nest_lock,
    .critical = critical,
    .atomic = atomic,
    .ordered = ordered,
};
