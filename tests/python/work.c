/* SPDX-License-Identifier: Apache-2.0
 *
 * What the scripts call by ctypes: a library with OpenMP, which has lines or not.
 */
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Each thread of a team is busy for so long. */
__attribute__((noinline)) void work(double seconds) {
#pragma omp parallel
    for (const double begin = now(); now() - begin < seconds;) {
    }
}

/* Regions without work. */
__attribute__((noinline)) void many_regions(int count) {
    for (int i = 0; i < count; ++i) {
#pragma omp parallel
        __asm__ volatile("" ::: "memory");
    }
}

/* Back into Python. */
__attribute__((noinline)) void call_back(void (*function)(void)) {
    function();
    __asm__ volatile("" ::: "memory");
}
