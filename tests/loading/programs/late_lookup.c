/* SPDX-License-Identifier: Apache-2.0
 *
 * late_lookup - a collector inside of the program, for OMP_TOOL_LIBRARIES: the runtime loads the
 * bridge. Says after which calls the symbol is there, what START answers, and how many regions fork
 * from then on. The function with the first region is entered last: clang has it call the runtime.
 */
#include "omp_collector_client.h"
#include <omp.h>
#include <stdio.h>

static int forks, threads;

static void on_fork(OMP_COLLECTORAPI_EVENT event) {
    forks += event == OMP_EVENT_FORK;
}

static void look(const char *when) {
    printf("%s: %s\n", when, omp_collector_find() ? "there" : "not there");
}

static __attribute__((noinline)) void region(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
        ++threads;
    }
}

int main(void) {
    look("at the begin of main");
    (void)omp_get_wtime();
    (void)omp_get_thread_num();
    look("after omp_get_thread_num");
    region();
    look("after a region");
    const OMP_COLLECTOR_API_FUNCTION api = omp_collector_find();
    const int start = omp_collector_request(api, OMP_REQ_START);
    if (start == OMP_ERRCODE_OK) {
        omp_collector_register_range(api, OMP_EVENT_FORK, OMP_EVENT_FORK, on_fork);
    }
    region();
    printf("START %s, %d FORK, %d threads\n", omp_collector_error_name(start), forks, threads);
    return 0;
}
