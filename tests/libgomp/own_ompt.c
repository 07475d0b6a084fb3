/* SPDX-License-Identifier: Apache-2.0
 * A libgomp of a later day, which asks for tools itself: it runs regions on one thread. What stands
 * in front of it must step aside, and start no tool. */
#include <stdio.h>
#include <stdlib.h>

static const char *volatile variable = "OMP_TOOL_LIBRARIES";

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
    (void)threads;
    (void)flags;
    if (getenv(variable) != NULL)
        printf("own\n");
    function(data);
}

int omp_get_num_procs(void);
int omp_get_num_procs(void) {
    return 1;
}
