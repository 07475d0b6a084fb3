/* SPDX-License-Identifier: Apache-2.0
 * one_region - is linked with no runtime of its own (own_ompt.c is preloaded). */
#include <stdio.h>

int main(void) {
    int members = 0;
#pragma omp parallel
    members += 1;
    printf("%d\n", members);
    return 0;
}
