/* SPDX-License-Identifier: Apache-2.0
 * Something for every event that all compilers report: regions, explicit barriers, a lock and a
 * critical region that are waited for, single, ordered, tasks. Counts what it does, so that a
 * watched run can be compared with its own result; takes long enough to be sampled. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { kRegions = 20, kThreads = 2, kTasks = 4 };

static omp_lock_t lock;
static int sum;

static double processor_time(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

/* The other thread finds the lock taken: the first one keeps it until that one has come. */
static void meet_at_lock(int *arrived) {
    if (omp_get_thread_num() == 0) {
        omp_set_lock(&lock);
        __atomic_store_n(arrived, 1, __ATOMIC_RELEASE);
        const double until = processor_time() + 0.002;
        while (processor_time() < until) {
        }
        omp_unset_lock(&lock);
    } else {
        while (!__atomic_load_n(arrived, __ATOMIC_ACQUIRE)) {
        }
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
    }
}

int main(void) {
    omp_init_lock(&lock);
    for (int region = 0; region < kRegions; ++region) {
        int arrived = 0;
#pragma omp parallel num_threads(kThreads) shared(arrived)
        {
            meet_at_lock(&arrived);
#pragma omp barrier
#pragma omp critical
            {
#pragma omp atomic
                ++sum;
            }
#pragma omp single
            {
                for (int task = 0; task < kTasks; ++task) {
#pragma omp task
                    {
#pragma omp atomic
                        ++sum;
                    }
                }
#pragma omp taskwait
            }
#pragma omp for ordered schedule(dynamic)
            for (int i = 0; i < kThreads; ++i) {
#pragma omp ordered
                {
#pragma omp atomic
                    ++sum;
                }
            }
        }
    }
    omp_destroy_lock(&lock);
    printf("sum %d\n", sum);
    return sum == kRegions * (kThreads + kTasks + kThreads) ? 0 : 1;
}
