/* SPDX-License-Identifier: Apache-2.0
 * weak - asks whether there is an OpenMP runtime by weak references, and does without. */
#include <stdio.h>

#define REFER(name) extern void name(void) __attribute__((weak));
REFER(GOMP_parallel)
REFER(GOMP_barrier)
REFER(GOMP_critical_start)
REFER(omp_set_lock)
REFER(omp_fulfill_event)
REFER(__kmpc_fork_call)
REFER(__kmpc_barrier)

#define SHOW(name)                                                                                 \
    printf(#name " %s\n", name ? "there" : "null");                                                \
    if (name)                                                                                      \
        ++there;

int main(void) {
    int there = 0;
    SHOW(GOMP_parallel)
    SHOW(GOMP_barrier)
    SHOW(GOMP_critical_start)
    SHOW(omp_set_lock)
    SHOW(omp_fulfill_event)
    SHOW(__kmpc_fork_call)
    SHOW(__kmpc_barrier)
    return there;
}
