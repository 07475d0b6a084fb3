/* SPDX-License-Identifier: Apache-2.0
 *
 * late_bridge - the runtime loads the bridge (OMP_TOOL_LIBRARIES). Says whether the calls of the
 * program into the runtime are marked from then on, and whether its forks are noted.
 */
#include "omp_collector_api.h"
#include "omp_collector_bridge.h"
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

static omp_collector_bridge_region_code_t region_function;
static int is_marked = 0, is_noted = 0;

/* A team of one executes the task inside of the call that creates it. */
static __attribute__((noinline)) void region(void) {
#pragma omp parallel num_threads(1)
    {
        is_noted = region_function() != NULL;
#pragma omp task
        {
            omp_collector_bridge_front **front = (omp_collector_bridge_front **)dlsym(
                RTLD_DEFAULT, "omp_collector_bridge_own_front");
            is_marked = front && *front && (*front)->innermost != 0;
        }
    }
}

int main(void) {
    if (omp_get_max_threads() < 1) {
        return 1;
    }
    *(void **)&region_function = dlsym(RTLD_DEFAULT, "omp_collector_bridge_region_function");
    OMP_COLLECTOR_API_FUNCTION api = NULL;
    *(void **)&api = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    int list[5] = {OMP_COLLECTOR_HEADER_SIZE, OMP_REQ_START, -1, -1, 0};
    if (!region_function || !api || api(list) != 0) {
        return 1;
    }
    region();
    printf("START %d, marked %d, noted %d\n", list[2], is_marked, is_noted);
    return 0;
}
