/* SPDX-License-Identifier: Apache-2.0
 *
 * early_load global|local BRIDGE - opens the bridge before the first OpenMP call, for everybody or
 * for itself alone, issues START through the handle, and lets the collector register two events.
 */
#include "marks.h"
#include "omp_collector_api.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* In a function of its own: clang makes a function with a region enter the runtime at its start. */
static __attribute__((noinline)) void region(void) {
#pragma omp parallel num_threads(2)
    mark("body");
}

int main(int argc, char **argv) {
    const int scope = argc > 1 && strcmp(argv[1], "local") == 0 ? RTLD_LOCAL : RTLD_GLOBAL;
    void *bridge = argc > 2 ? dlopen(argv[2], RTLD_NOW | scope) : NULL;
    if (!bridge) {
        puts(dlerror());
        return 1;
    }
    OMP_COLLECTOR_API_FUNCTION api = (OMP_COLLECTOR_API_FUNCTION)dlsym(bridge, OMP_COLLECTOR_API);
    int list[5] = {OMP_COLLECTOR_HEADER_SIZE, OMP_REQ_START, -1, -1, 0};
    const int result = api(list);
    printf("START %d %d\n", result, list[2]);
    if (ocb_test_register) {
        ocb_test_register(OMP_EVENT_FORK);
        ocb_test_register(OMP_EVENT_JOIN);
    }
    region();
    return 0;
}
