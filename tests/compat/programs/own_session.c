/* SPDX-License-Identifier: Apache-2.0
 *
 * own_session BRIDGE: opens the bridge and starts a session of its own before the runtime has asked
 * for a tool, and then forks regions. Says how many of them its session has seen.
 */
#include <dlfcn.h>
#include <stdio.h>

#include "omp_collector_client.h"

static int forks;

static void on_fork(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
    ++forks;
}

/* Not in main(), which would call the runtime before anything else. */
static __attribute__((noinline)) void fork_regions(void) {
    for (int i = 0; i < 1000; ++i) {
#pragma omp parallel num_threads(2)
        __asm__ volatile("");
    }
}

int main(int argc, char **argv) {
    void *bridge = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_GLOBAL);
    void *symbol = bridge ? dlsym(bridge, OMP_COLLECTOR_API) : 0;
    const OMP_COLLECTOR_API_FUNCTION api = (OMP_COLLECTOR_API_FUNCTION)symbol;
    if (!api || omp_collector_request(api, OMP_REQ_START) != OMP_ERRCODE_OK) {
        return 2;
    }
    omp_collector_register_range(api, OMP_EVENT_FORK, OMP_EVENT_FORK, on_fork);
    fork_regions();
    printf("%d\n", forks);
    return 0;
}
