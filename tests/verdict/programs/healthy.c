/* SPDX-License-Identifier: Apache-2.0
 *
 * Nothing is wrong with these. They print so.
 */
#include "planted.h"

#include <omp.h>
#include <stddef.h>
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

#define HEALTHY(name)                                                                              \
    PLANTED run_##name(void) {                                                                     \
        puts("truth healthy");                                                                     \
        name();                                                                                    \
    }
HEALTHY(even)
HEALTHY(even_loop)
HEALTHY(even_regions)
HEALTHY(even_barriers)
HEALTHY(even_tasks)
HEALTHY(rare_critical)
HEALTHY(sum)
HEALTHY(sum_in_region)
HEALTHY(sum_by_macro)
HEALTHY(alone)
HEALTHY(short_serial)

const struct Planted kHealthy[] = {
    {"even", run_even},
    {"even-loop", run_even_loop},
    {"even-regions", run_even_regions},
    {"even-barriers", run_even_barriers},
    {"even-tasks", run_even_tasks},
    {"rare-critical", run_rare_critical},
    {"sum", run_sum},
    {"sum-in-region", run_sum_in_region},
    {"sum-by-macro", run_sum_by_macro},
    {"alone", run_alone},
    {"short-serial", run_short_serial},
    {NULL, NULL},
};
