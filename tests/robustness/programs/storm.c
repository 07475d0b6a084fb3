/* SPDX-License-Identifier: Apache-2.0
 *
 * storm THREADS SECONDS - regions with locks, critical, ordered, loops, single, reductions, tasks
 * and nested teams, and beside them threads of the program's own that begin, run plain regions and
 * end. Says "result 0" if all that was counted is right. Foreign threads do no more than plain
 * regions: with tasks or nested teams libomp itself crashes at their end (docs/ROBUSTNESS.md).
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static atomic_int is_over;
static atomic_long errors;
static int threads;

static void require(int holds) {
    if (!holds) {
        atomic_fetch_add(&errors, 1);
    }
}

static void run_constructs(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    long in_lock = 0, in_critical = 0, in_order = 0, by_reduction = 0, by_single = 0;
    atomic_long by_tasks = 0, nested = 0;
#pragma omp parallel num_threads(threads) reduction(+ : by_reduction)
    {
        omp_set_lock(&lock);
        ++in_lock;
        omp_unset_lock(&lock);
#pragma omp critical
        ++in_critical;
#pragma omp barrier
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 32; ++i) {
#pragma omp ordered
            in_order += i;
        }
#pragma omp single
        {
            ++by_single;
            for (int i = 0; i < 32; ++i) {
#pragma omp task shared(by_tasks)
                atomic_fetch_add(&by_tasks, 1);
            }
#pragma omp taskwait
        }
        by_reduction += 1;
        if (omp_get_thread_num() < 2) {
#pragma omp parallel num_threads(2)
            atomic_fetch_add(&nested, 1);
        }
    }
    omp_destroy_lock(&lock);
    require(in_lock == threads && in_critical == threads && by_reduction == threads);
    require(in_order == 31 * 32 / 2 && by_single == 1 && by_tasks == 32 && nested == 4);
}

static void *run_plain_regions(void *unused) {
    for (int i = 0; i < 3; ++i) {
        atomic_int members = 0;
#pragma omp parallel num_threads(2)
        atomic_fetch_add(&members, 1);
        require(members == 2);
    }
    return unused;
}

static void *begin_and_end_threads(void *unused) {
    while (!is_over) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, run_plain_regions, NULL) == 0) {
            pthread_join(thread, NULL);
        }
    }
    return unused;
}

int main(int count, char **arguments) {
    if (count < 3) {
        return 2;
    }
    threads = atoi(arguments[1]);
    const double end = omp_get_wtime() + atof(arguments[2]);
    omp_set_max_active_levels(2);
    pthread_t maker;
    if (pthread_create(&maker, NULL, begin_and_end_threads, NULL) != 0) {
        return 2;
    }
    long rounds = 0;
    while (omp_get_wtime() < end || rounds < 3) {
        run_constructs();
        ++rounds;
    }
    atomic_store(&is_over, 1);
    pthread_join(maker, NULL);
    printf("result %ld\n", (long)errors);
    fprintf(stderr, "rounds %ld\n", rounds);
    return errors != 0;
}
