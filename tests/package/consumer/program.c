/* SPDX-License-Identifier: Apache-2.0
 *
 * An OpenMP program that knows of no collector.
 */
#include <stdio.h>

int main(void) {
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    ++threads;
    return printf("a team of %d\n", threads) < 0;
}
