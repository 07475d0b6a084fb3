/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that asks its OpenMP runtime something, but forks no region.
 */
#include <omp.h>
#include <stdio.h>

int main(void) {
    printf("%d\n", omp_get_max_threads() > 0);
    return 0;
}
