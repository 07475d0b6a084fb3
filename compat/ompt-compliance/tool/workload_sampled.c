/* SPDX-License-Identifier: Apache-2.0
 *
 * See workload.h: the programs that are sampled. Thread 0 waits for thread 1.
 */
#define _GNU_SOURCE
#include "workload_parts.h"

#include <omp.h>

void sampled_body(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            workload_hooks.arrive(1);
            workload_hooks.hold(1);
            workload_hooks.arrive(0);
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
        workload_hooks.arrive(1);
        workload_hooks.hold(1);
        workload_hooks.arrive(2);
    }
}

#pragma omp declare reduction(slowly                                                               \
                              : struct Sum                                                         \
                              : add(&omp_out, &omp_in)) initializer(omp_priv = omp_orig)

void sampled_reduction(void) {
    struct Sum sum = {{0}};
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1) reduction(slowly : sum)
        for (int i = 0; i < 2; ++i) {
            sum.parts[0] += i;
            if (i == 1) {
                /* Thread 0 comes first, combines alone and then waits. */
                workload_hooks.hold(2);
            } else {
                workload_hooks.arrive(2);
            }
        }
    }
}

void sampled_barrier_explicit(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            workload_hooks.arrive(1);
        } else {
            workload_hooks.hold(1);
        }
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            workload_hooks.arrive(0);
        }
    }
}

void sampled_barrier_worksharing(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 2; ++i) {
            if (omp_get_thread_num() == 0) {
                workload_hooks.arrive(1);
            } else {
                workload_hooks.hold(1);
            }
        }
        if (omp_get_thread_num() == 0) {
            workload_hooks.arrive(0);
        }
    }
}

void sampled_barrier_join(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            workload_hooks.arrive(1);
        } else {
            workload_hooks.hold(1);
        }
    }
    workload_hooks.arrive(0);
}

/* Thread 0 creates a task and goes to wait only when thread 1 executes it: else it would do so
 * itself, and not wait. */
int sampled_taskwait(void) {
    volatile int started = 0;
    int by_another = 1;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp task shared(started, by_another)
            {
                by_another = omp_get_thread_num() != 0;
                workload_raise(&started, 1);
                if (by_another) {
                    workload_hooks.hold(1);
                }
            }
            workload_wait(&started, 1, "another thread to execute a task");
            workload_hooks.arrive(1);
#pragma omp taskwait
            workload_hooks.arrive(0);
        }
    }
    return by_another;
}

int sampled_taskgroup(void) {
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
                    workload_raise(&started, 1);
                    if (by_another) {
                        workload_hooks.hold(2);
                    }
                }
                workload_wait(&started, 1, "another thread to execute a task");
                workload_hooks.arrive(2);
            }
            workload_hooks.arrive(0);
        }
    }
    return by_another;
}

void sampled_lock(void) {
    omp_lock_t mutex;
    volatile int held = 0;
    omp_init_lock(&mutex);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            workload_wait(&held, 1, "the second thread to hold a lock");
            workload_hooks.arrive(1);
            omp_set_lock(&mutex);
            workload_hooks.arrive(0);
        } else {
            omp_set_lock(&mutex);
            workload_raise(&held, 1);
            workload_hooks.hold(1);
        }
        omp_unset_lock(&mutex);
    }
    omp_destroy_lock(&mutex);
}

void sampled_nest_lock(void) {
    omp_nest_lock_t mutex;
    volatile int held = 0;
    omp_init_nest_lock(&mutex);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            workload_wait(&held, 1, "the second thread to hold a nestable lock");
            workload_hooks.arrive(1);
            omp_set_nest_lock(&mutex);
            workload_hooks.arrive(0);
        } else {
            omp_set_nest_lock(&mutex);
            workload_raise(&held, 1);
            workload_hooks.hold(1);
        }
        omp_unset_nest_lock(&mutex);
    }
    omp_destroy_nest_lock(&mutex);
}

void sampled_critical(void) {
    volatile int held = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            workload_wait(&held, 1, "the second thread to be in a critical region");
            workload_hooks.arrive(1);
#pragma omp critical(ompt_compliance)
            workload_hooks.arrive(0);
        } else {
#pragma omp critical(ompt_compliance)
            {
                workload_raise(&held, 1);
                workload_hooks.hold(1);
            }
        }
    }
}

/* An atomic update of something that no instruction can update: compilers put the runtime's own
 * pair of functions around it. clang does so in no case, gcc does for long double. */
extern void __kmpc_atomic_start(void) __attribute__((weak));
extern void __kmpc_atomic_end(void) __attribute__((weak));
extern void GOMP_atomic_start(void) __attribute__((weak));
extern void GOMP_atomic_end(void) __attribute__((weak));

int sampled_atomic(void) {
    volatile int held = 0;
    void (*start)(void) = __kmpc_atomic_start ? __kmpc_atomic_start : GOMP_atomic_start;
    void (*end)(void) = __kmpc_atomic_end ? __kmpc_atomic_end : GOMP_atomic_end;
    if (!start || !end) {
        return 0;
    }
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            workload_wait(&held, 1, "the second thread to be in an atomic region");
            workload_hooks.arrive(1);
            start();
            workload_hooks.arrive(0);
        } else {
            start();
            workload_raise(&held, 1);
            workload_hooks.hold(1);
        }
        end();
    }
    return 1;
}

/* Iterations 0 and 2 are thread 1's, whatever the runtime's schedules do: thread 0 comes when the
 * first is taken, and keeps the second until the third is. There it waits for its turn, in the end
 * for the others. */
void sampled_ordered(void) {
    volatile int taken = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            workload_wait(&taken, 1, "the first iteration of an ordered loop");
        }
#pragma omp for schedule(dynamic, 1) ordered
        for (int i = 0; i < 3; ++i) {
            const int phase = i == 0 ? 1 : 2; /* that thread 1 holds */
            if (i == 1) {
                workload_hooks.arrive(1);
            } else {
                workload_raise(&taken, phase);
            }
#pragma omp ordered
            {
                if (i == 1) {
                    workload_wait(&taken, 2, "the third iteration of an ordered loop");
                    workload_hooks.arrive(2);
                } else {
                    workload_hooks.hold(phase);
                }
            }
        }
    }
    workload_hooks.arrive(0);
}
