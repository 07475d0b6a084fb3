/* SPDX-License-Identifier: Apache-2.0
 *
 * one_cpu - leaves the process one processor, begins a session, and forks a team of two on it.
 */
#define _GNU_SOURCE
#include "marks.h"
#include <omp.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
    cpu_set_t allowed;
    cpu_set_t one;
    int cpu = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return 1;
    }
    while (!CPU_ISSET(cpu, &allowed)) {
        ++cpu;
    }
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) {
        return 1;
    }
    start_session();
    printf("%d processors\n", omp_get_num_procs());
#pragma omp parallel num_threads(2)
    {
        mark("body");
#pragma omp master
        printf("team of %d\n", omp_get_num_threads());
    }
    return 0;
}
