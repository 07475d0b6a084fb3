/* SPDX-License-Identifier: Apache-2.0
 *
 * work.h - clocks of a program and its threads, and work that takes a given time.
 */
#pragma once

#include <time.h>

static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static inline double own_cpu(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static inline void work(double milliseconds) {
    const double end = own_cpu() + milliseconds * 1e-3;
    while (own_cpu() < end) {
    }
}

static inline void region(double milliseconds) {
#pragma omp parallel num_threads(2)
    work(milliseconds);
}
