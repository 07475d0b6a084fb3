/* SPDX-License-Identifier: Apache-2.0
 * awaits - waits for dependences: taskwait and tasks that are not deferred, with iterators that
 * have iterations and that have none; and a call of omp_control_tool. */
#include <omp.h>
#include <stdio.h>

int omp_control_tool(int command, int modifier, void *argument) __attribute__((weak));

enum { kRounds = 20 };

int main(void) {
    int x = 0, y = 0, list[4] = {0};
    volatile int none = 0;
    long sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int round = 0; round < kRounds; ++round) {
#pragma omp task depend(out : x)
        x = round;
#pragma omp task depend(iterator(i = 0 : 4), out : list[i]) shared(list)
        list[0] = list[1] = list[2] = list[3] = round;
#pragma omp taskwait depend(in : x)
        sum += x;
#pragma omp task if (0) depend(inout                                                               \
                               : x) depend(iterator(i = 0 : 4), in                                 \
                                           : list[i]) shared(sum, list)
        sum += x + list[3];
#pragma omp task depend(iterator(i = 0 : none), out : list[i]) shared(y)
        y = round;
#pragma omp taskwait
        sum += y;
    }
    printf("%ld\n", sum);
    if (omp_control_tool) {
        omp_control_tool(1, 0, NULL);
    }
}
