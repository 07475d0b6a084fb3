/* SPDX-License-Identifier: Apache-2.0
 *
 * A library with one region, forked in a function whose name is given, and with one that computes
 * before there is OpenMP: for opener.
 */
#include <omp.h>
#include <time.h>

static __attribute__((noinline)) void FORK(void) {
    const double end = omp_get_wtime() + 0.05;
#pragma omp parallel num_threads(2)
    while (omp_get_wtime() < end) {
    }
}

__attribute__((visibility("default"))) void work(void) {
    FORK();
}

static __attribute__((noinline)) void COMPUTE(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    const double end = (double)now.tv_sec + (double)now.tv_nsec * 1e-9 + 0.3;
    for (volatile long i = 0; (double)now.tv_sec + (double)now.tv_nsec * 1e-9 < end; ++i) {
        if (i % 100000 == 0) {
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        }
    }
}

__attribute__((visibility("default"))) void before(void) {
    COMPUTE();
}
