/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin - a shared library that brings an OpenMP runtime into a process.
 */
#include <omp.h>

int run_plugin(void);

__attribute__((visibility("default"))) int run_plugin(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_num_threads();
    return sum;
}
