/* SPDX-License-Identifier: Apache-2.0
 * many_dependences - a task with a thousand dependences, more than there is room on a stack, and
 * one with three. */
#include <stdio.h>

enum { kMany = 1000 };

int main(void) {
    static int list[kMany];
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(iterator(i = 0 : kMany), out : list[i]) shared(list)
        list[kMany - 1] = 1;
#pragma omp task depend(iterator(i = kMany - 3 : kMany), inout : list[i]) shared(list)
        list[kMany - 1] += 1;
    }
    printf("%d\n", list[kMany - 1]);
}
