/* SPDX-License-Identifier: Apache-2.0
 *
 * masks: prints the processors that each thread of a team may run on.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
#pragma omp parallel
    {
        cpu_set_t set;
        CPU_ZERO(&set);
        sched_getaffinity(0, sizeof set, &set);
#pragma omp for ordered schedule(static, 1)
        for (int thread = 0; thread < omp_get_num_threads(); ++thread) {
#pragma omp ordered
            {
                printf("thread %d:", thread);
                for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
                    if (CPU_ISSET(cpu, &set)) {
                        printf(" %d", cpu);
                    }
                }
                printf("\n");
            }
        }
    }
    return 0;
}
