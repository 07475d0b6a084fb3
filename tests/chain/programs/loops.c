/* SPDX-License-Identifier: Apache-2.0
 * Loops, and no single construct: the tool wants the loops all the same. */
#include <stdio.h>

int main(void) {
    double sum = 0;
    for (int region = 0; region < 3; ++region) {
#pragma omp parallel for reduction(+ : sum) schedule(dynamic) num_threads(2)
        for (int i = 0; i < 100; ++i) {
            sum += i;
        }
    }
    printf("sum %g\n", sum);
    return 0;
}
