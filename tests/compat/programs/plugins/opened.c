/* SPDX-License-Identifier: Apache-2.0
 *
 * A library with one region, forked in a function whose name is given: for opener.
 */
#include <omp.h>

static __attribute__((noinline)) void FORK(void) {
    const double end = omp_get_wtime() + 0.05;
#pragma omp parallel num_threads(2)
    while (omp_get_wtime() < end) {
    }
}

__attribute__((visibility("default"))) void work(void) {
    FORK();
}
