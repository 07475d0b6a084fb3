/* SPDX-License-Identifier: Apache-2.0
 * The collector of the measurements, preloaded behind the bridge: starts a session when it is
 * loaded, registers FORK alone (OCB_BENCH_EVENTS=fork) or the 22 events of the contract (all), and
 * adds one to a counter of the thread at each.
 */
#define _GNU_SOURCE
#include "omp_collector_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kEvents = OMP_EVENT_THR_END_ATWT + 1 };
static __thread unsigned long counters[kEvents] __attribute__((tls_model("initial-exec")));

static void on_event(OMP_COLLECTORAPI_EVENT event) {
    ++counters[event];
}

__attribute__((constructor)) static void begin_session(void) {
    const char *wish = getenv("OCB_BENCH_EVENTS");
    OMP_COLLECTOR_API_FUNCTION api;
    *(void **)&api = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    int start[5] = {16, OMP_REQ_START, 0, 0, 0};
    if (wish == NULL)
        return;
    if (api == NULL || api(start) != 0 || start[2] != OMP_ERRCODE_OK) {
        fprintf(stderr, "bench collector: no session\n");
        exit(1);
    }
    const OMP_COLLECTORAPI_CALLBACK callback = on_event;
    const int last = strcmp(wish, "all") == 0 ? OMP_EVENT_THR_END_ATWT : OMP_EVENT_FORK;
    for (int event = OMP_EVENT_FORK; event <= last; ++event) {
        int registration[9] = {32, OMP_REQ_REGISTER, 0, 0, event, 0, 0, 0, 0};
        memcpy(&registration[6], &callback, sizeof callback);
        if (api(registration) != 0 || registration[2] != OMP_ERRCODE_OK) {
            fprintf(stderr, "bench collector: event %d refused\n", event);
            exit(1);
        }
    }
}
