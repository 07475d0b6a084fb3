/* SPDX-License-Identifier: Apache-2.0
 *
 * A region that is all that another one does. Optimised, the outer one's code ends in a jump to the
 * runtime's fork, so the inner one is forked from no stack frame of the program.
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

static inline __attribute__((always_inline)) void inner(void) {
#pragma omp parallel num_threads(2)
    work(0.05);
}

int main(void) {
    omp_set_max_active_levels(2);
    for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(2)
        inner();
    }
    return 0;
}
