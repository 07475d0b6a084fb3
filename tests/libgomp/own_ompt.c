/* SPDX-License-Identifier: Apache-2.0
 * A libgomp of a later day. It runs regions on one thread, and has entries that no libgomp before
 * gcc 17 has. As it stands it asks for tools itself: what stands in front of it must step aside,
 * and start no tool. With WITHOUT_OMPT it has the entries alone, as gcc 17's in development. */
#include <stdio.h>
#include <stdlib.h>

#ifdef WITHOUT_OMPT
static const char *volatile variable = "OMP_NUM_THREADS";

int omp_control_tool(int command, int modifier, void *argument);
int omp_control_tool(int command, int modifier, void *argument) {
    (void)command, (void)modifier, (void)argument;
    return -2; /* no tool */
}
#else
static const char *volatile variable = "OMP_TOOL_LIBRARIES";
#endif

void GOMP_barrier_ext(int kind);
void GOMP_barrier_ext(int kind) {
    (void)kind;
}

_Bool GOMP_barrier_cancel_ext(int kind);
_Bool GOMP_barrier_cancel_ext(int kind) {
    return kind == 1;
}

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
    (void)threads;
    (void)flags;
    if (getenv(variable) != NULL) {
        printf("own\n");
    }
    function(data);
}

int omp_get_num_procs(void);
int omp_get_num_procs(void) {
    return 1;
}
