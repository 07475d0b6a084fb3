/* SPDX-License-Identifier: Apache-2.0
 * Loops, and no single construct: a tool wants the loops all the same. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    static int numbers[100];
    int sum = 0;
    omp_set_schedule(omp_sched_static, 0);
    for (int region = 0; region < 3; ++region) {
#pragma omp parallel for schedule(runtime) num_threads(2)
        for (int i = 0; i < 100; ++i) {
            numbers[i] += i;
        }
    }
    for (int i = 0; i < 100; ++i) {
        sum += numbers[i];
    }
    printf("sum %d\n", sum);
    return 0;
}
