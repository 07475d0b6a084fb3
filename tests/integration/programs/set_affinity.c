/* SPDX-License-Identifier: Apache-2.0
 *
 * set_affinity - keeps itself to one processor in main, before its first use of OpenMP, and prints
 * the size of the team it gets by itself.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    unsetenv("OMP_NUM_THREADS");
#pragma omp parallel
    {
        if (omp_get_thread_num() == 0) {
            printf("team of %d\n", omp_get_num_threads());
        }
    }
    return 0;
}
