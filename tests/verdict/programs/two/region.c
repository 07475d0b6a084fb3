/* SPDX-License-Identifier: Apache-2.0
 *
 * A balanced region, of whichever runtime.
 */
#include <time.h>

static __attribute__((noinline)) double work(void) {
    struct timespec begin;
    struct timespec now;
    volatile double value = 1;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        for (int i = 0; i < 2000; ++i) {
            value = value * 0.999 + 0.001;
        }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) * 1e-9 <
             0.1);
    return value;
}

void REGION(void) {
#pragma omp parallel num_threads(2)
    work();
}
