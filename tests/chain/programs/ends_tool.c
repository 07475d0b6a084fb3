/* SPDX-License-Identifier: Apache-2.0
 *
 * ends_tool - runs a region, tells the recorder to end its life as a tool, and computes on.
 */
#include <omp.h>
#include <stdio.h>

int recorder_ends(void) __attribute__((weak));

static __attribute__((noinline)) int sum_of_team(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_num_threads();
    return sum;
}

int main(void) {
    const int before = sum_of_team();
    const int has_ended = recorder_ends && recorder_ends();
    printf("%d %d %d\n", before, has_ended, sum_of_team());
    return 0;
}
