/* SPDX-License-Identifier: Apache-2.0
 * The collector of the measurements, preloaded behind the bridge: starts a session when it is
 * loaded, registers FORK alone (OCB_BENCH_EVENTS=fork) or the 22 events of the contract (all), and
 * adds one to a counter of the thread at each.
 */
#define _GNU_SOURCE
#include "omp_collector_client.h"

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
    if (wish == NULL) {
        return;
    }
    const OMP_COLLECTOR_API_FUNCTION api = omp_collector_find();
    if (omp_collector_request(api, OMP_REQ_START) != OMP_ERRCODE_OK) {
        fprintf(stderr, "bench collector: no session\n");
        exit(1);
    }
    const int last = strcmp(wish, "all") == 0 ? OMP_EVENT_THR_END_ATWT : OMP_EVENT_FORK;
    for (int event = OMP_EVENT_FORK; event <= last; ++event) {
        if (omp_collector_register(api, event, on_event) != OMP_ERRCODE_OK) {
            fprintf(stderr, "bench collector: event %d refused\n", event);
            exit(1);
        }
    }
}
