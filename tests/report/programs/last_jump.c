/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions whose last call forks a region. Optimised, that is a jump, so that the fork's stack
 * frame is their caller's.
 */
#include <omp.h>
#include <time.h>

static void work(double seconds) {
    struct timespec time;
    const double end = omp_get_wtime() + seconds;
    while (omp_get_wtime() < end) {
        clock_gettime(CLOCK_MONOTONIC, &time);
    }
}

__attribute__((noinline)) void first(void) {
#pragma omp parallel num_threads(2)
    work(0.05);
}

__attribute__((noinline)) void second(void) {
#pragma omp parallel num_threads(2)
    work(0.05);
}

int main(void) {
    first();
    second();
    first();
    return 0;
}
