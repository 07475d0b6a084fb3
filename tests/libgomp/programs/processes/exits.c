/* SPDX-License-Identifier: Apache-2.0
 * exits WHERE - ends the process by exit(3) in some place while its other threads go on. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *where;

static void here(const char *place) {
    if (strcmp(where, place) == 0) {
        exit(3);
    }
}

static void wait_for_end(void) {
    for (;;) {
        pause();
    }
}

int main(int count, char **arguments) {
    where = count > 1 ? arguments[1] : "";
    printf("%s\n", where);
#pragma omp parallel num_threads(4)
#pragma omp critical
    ;
    here("serial");
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        const int other = strcmp(where, "worker") == 0 ? 0 : 1;
        if (omp_get_thread_num() != other) {
            here("worker");
            here("master");
#pragma omp critical
            here("critical");
#pragma omp parallel num_threads(2)
#pragma omp single
            here("nested");
#pragma omp task if (0)
            here("task");
#pragma omp taskgroup
            {
#pragma omp task
                here("taskgroup");
            }
        }
        if (strcmp(where, "barrier") != 0) {
            wait_for_end();
        }
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 0) { /* exit() is for one thread */
#pragma omp task
            here("barrier");
        }
    }
}
