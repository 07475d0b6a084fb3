/* SPDX-License-Identifier: Apache-2.0
 *
 * embedded [LIBRARY] - a program with the bridge linked into it, statically, that is its own
 * collector, from a constructor on. Prints what START answers, the events of one region, and the
 * region's id. A library that is named is opened afterwards and asked for a second session.
 */
#include "omp_collector_client.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>

static int answer_to_start = -1;
static int forks;
static int joins;

static uint64_t current_region(void) {
    uint64_t id = 0;
    omp_collector_ask_word(__omp_collector_api, OMP_REQ_CURRENT_PRID, &id);
    return id;
}

static void on_event(OMP_COLLECTORAPI_EVENT event) {
    forks += event == OMP_EVENT_FORK;
    joins += event == OMP_EVENT_JOIN;
}

static int start_with(OMP_COLLECTOR_API_FUNCTION api) {
    int list[5] = {OMP_COLLECTOR_HEADER_SIZE, OMP_REQ_START, -1, -1, 0};
    api(list);
    return list[2];
}

__attribute__((constructor)) static void begin(void) {
    answer_to_start = start_with(__omp_collector_api);
    if (answer_to_start == OMP_ERRCODE_OK) {
        omp_collector_register_range(__omp_collector_api, OMP_EVENT_FORK, OMP_EVENT_JOIN, on_event);
    }
}

int main(int argc, char **argv) {
    uint64_t region = 0;
    int threads = 0;
    if (getauxval(AT_SECURE) != 0) {
        puts("secure");
    }
    printf("START %d\n", answer_to_start);
#pragma omp parallel num_threads(2) reduction(+ : threads)
    {
        ++threads;
#pragma omp master
        region = current_region();
    }
    printf("%d threads, %d FORK, %d JOIN, region %llu\n", threads, forks, joins,
           (unsigned long long)region);
    if (argc > 1) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
        OMP_COLLECTOR_API_FUNCTION other =
            library ? (OMP_COLLECTOR_API_FUNCTION)dlsym(library, OMP_COLLECTOR_API) : NULL;
        if (!other) {
            return 1;
        }
        printf("%s, START %d\n",
               other == __omp_collector_api ? "the same bridge" : "another bridge",
               start_with(other));
    }
    return 0;
}
