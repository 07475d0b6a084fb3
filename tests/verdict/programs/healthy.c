/* SPDX-License-Identifier: Apache-2.0
 *
 * Nothing is wrong with these. They print so.
 */
#include "planted.h"

#include <omp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

PLANTED even(void) {
#pragma omp parallel num_threads(kThreads)
    work(800);
}

PLANTED even_loop(void) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(kThreads)
    for (int i = 0; i < 400; ++i) {
        work(4);
    }
}

PLANTED even_regions(void) {
    for (int i = 0; i < 20; ++i) {
#pragma omp parallel num_threads(kThreads)
        work(40);
    }
}

PLANTED even_barriers(void) {
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 40; ++i) {
        work(20);
#pragma omp barrier
    }
}

/* Beside one other process who is late changes with the slices. */
PLANTED even_steps(void) {
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 300; ++i) {
        work(2.7);
#pragma omp barrier
    }
}

PLANTED even_tasks(void) {
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp single
        for (int i = 0; i < 400; ++i) {
#pragma omp task
            work(4);
        }
    }
}

/* Who waits has other tasks to execute. */
PLANTED even_task_waits(void) {
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp single
        for (int i = 0; i < 10; ++i) {
            for (int each = 0; each < 80; ++each) {
#pragma omp task
                work(2);
            }
#pragma omp taskwait
        }
    }
}

/* Enters the critical region seldom. */
PLANTED rare_critical(void) {
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 40; ++i) {
        work(20);
#pragma omp critical(planted)
        steps(1000);
    }
}

PLANTED sum(void) {
    double all = 0;
    for (int i = 0; i < 20; ++i) {
#pragma omp parallel num_threads(kThreads) reduction(+ : all)
        {
            work(40);
            all += steps(10);
        }
    }
}

/* The loop follows the pragma, or is on the same line: neither is the reduction's work. */
static volatile double kept;

PLANTED sum_in_region(void) {
    const long count = (long)longer(6e8);
    double all = 0;
#pragma omp parallel num_threads(kThreads) reduction(+ : all)
    for (long i = 0; i < count; ++i) {
        all += 1.0 / (double)(i + 1);
    }
    kept = all;
}

#define PARALLEL_FOR _Pragma("omp parallel for num_threads(kThreads) reduction(+ : all)") for
PLANTED sum_by_macro(void) {
    const long count = (long)longer(1.2e9);
    double all = 0;
    PARALLEL_FOR(long i = 0; i < count; ++i) {
        all += 1.0 / (double)(i + 1);
    }
    kept = all;
}

/* Asked for one thread: there is nobody who could wait. */
PLANTED alone(void) {
#pragma omp parallel num_threads(1)
    work(800);
}

PLANTED short_serial(void) {
    work(20);
#pragma omp parallel num_threads(kThreads)
    work(780);
}

/* Each has its own mutex: to lock it is work, and nobody waits. */
PLANTED free_mutexes(void) {
    const long count = (long)longer(2e7);
#pragma omp parallel num_threads(kThreads)
    {
        pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
        for (long i = 0; i < count; ++i) {
            pthread_mutex_lock(&own);
            steps(1);
            pthread_mutex_unlock(&own);
        }
    }
}

/* Threads of a pool that fork by turns, as those of a server: a region runs nearly all the time. */
enum { kForkers = 3, kTurns = 30 };
static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static int whose_turn;

static void *take_turns(void *number) {
    const int own = (int)(intptr_t)number;
    for (int i = 0; i < kTurns; ++i) {
        pthread_mutex_lock(&turn_lock);
        while (whose_turn != own) {
            pthread_cond_wait(&turn_changed, &turn_lock);
        }
        pthread_mutex_unlock(&turn_lock);
#pragma omp parallel num_threads(kThreads)
        work(10);
        pthread_mutex_lock(&turn_lock);
        whose_turn = (own + 1) % kForkers;
        pthread_cond_broadcast(&turn_changed);
        pthread_mutex_unlock(&turn_lock);
    }
    return NULL;
}

PLANTED fork_by_turns(void) {
    pthread_t threads[kForkers];
    for (int i = 0; i < kForkers; ++i) {
        pthread_create(&threads[i], NULL, take_turns, (void *)(intptr_t)i);
    }
    for (int i = 0; i < kForkers; ++i) {
        pthread_join(threads[i], NULL);
    }
}

#define HEALTHY(name)                                                                              \
    PLANTED run_##name(void) {                                                                     \
        puts("truth healthy");                                                                     \
        name();                                                                                    \
    }
HEALTHY(even)
HEALTHY(even_loop)
HEALTHY(even_regions)
HEALTHY(even_barriers)
HEALTHY(even_steps)
HEALTHY(even_tasks)
HEALTHY(even_task_waits)
HEALTHY(rare_critical)
HEALTHY(sum)
HEALTHY(sum_in_region)
HEALTHY(sum_by_macro)
HEALTHY(alone)
HEALTHY(short_serial)
HEALTHY(free_mutexes)
HEALTHY(fork_by_turns)

const struct Planted kHealthy[] = {
    {"even", run_even},
    {"even-loop", run_even_loop},
    {"even-regions", run_even_regions},
    {"even-barriers", run_even_barriers},
    {"even-steps", run_even_steps},
    {"even-tasks", run_even_tasks},
    {"even-task-waits", run_even_task_waits},
    {"rare-critical", run_rare_critical},
    {"sum", run_sum},
    {"sum-in-region", run_sum_in_region},
    {"sum-by-macro", run_sum_by_macro},
    {"alone", run_alone},
    {"short-serial", run_short_serial},
    {"free-mutexes", run_free_mutexes},
    {"fork-by-turns", run_fork_by_turns},
    {NULL, NULL},
};
