/* SPDX-License-Identifier: Apache-2.0
 * The collector of the measurements, preloaded behind the bridge. It starts a session when it is
 * loaded, registers events, and adds one to a counter of the thread at each. OCB_BENCH_EVENTS:
 *   fork   FORK alone
 *   all    the 22 events of the contract
 *   least  those that ompcollect's own collector registers, where the bridge counts what it can:
 *          no collector that needs them costs less
 */
#define _GNU_SOURCE
#include "omp_collector_bridge.h"
#include "omp_collector_client.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kEvents = OMP_EVENT_THR_END_ATWT + 1 };
static __thread uint64_t counters[kEvents] __attribute__((tls_model("initial-exec")));
static omp_collector_bridge_own_counts_t own_counts;

static void on_event(OMP_COLLECTORAPI_EVENT event) {
    ++counters[event];
}

/* Of those that the bridge counts, a thread's first. */
static void on_first_event(OMP_COLLECTORAPI_EVENT event) {
    ++counters[event];
    own_counts(counters);
}

static void must_register(OMP_COLLECTOR_API_FUNCTION api, int event,
                          OMP_COLLECTORAPI_CALLBACK callback) {
    if (omp_collector_register(api, event, callback) != OMP_ERRCODE_OK) {
        fprintf(stderr, "bench collector: event %d refused\n", event);
        exit(1);
    }
}

static void register_least(OMP_COLLECTOR_API_FUNCTION api) {
    static const int kCounted[] = {OMP_EVENT_THR_BEGIN_IDLE,   OMP_EVENT_THR_BEGIN_IBAR,
                                   OMP_EVENT_THR_BEGIN_EBAR,   OMP_EVENT_THR_BEGIN_LKWT,
                                   OMP_EVENT_THR_BEGIN_CTWT,   OMP_EVENT_THR_BEGIN_ODWT,
                                   OMP_EVENT_THR_BEGIN_ATWT,   OMP_EVENT_THR_BEGIN_MASTER,
                                   OMP_EVENT_THR_BEGIN_SINGLE, OMP_EVENT_THR_BEGIN_ORDERED};
    omp_collector_bridge_count_events_t count_events = NULL;
    *(void **)&count_events = dlsym(RTLD_DEFAULT, "omp_collector_bridge_count_events");
    *(void **)&own_counts = dlsym(RTLD_DEFAULT, "omp_collector_bridge_own_counts");
    if (count_events == NULL || own_counts == NULL) {
        fprintf(stderr, "bench collector: the producer does not count\n");
        exit(1);
    }
    must_register(api, OMP_EVENT_FORK, on_event);
    must_register(api, OMP_EVENT_JOIN, on_event);
    uint64_t mask = 0;
    for (size_t i = 0; i < sizeof kCounted / sizeof kCounted[0]; ++i) {
        must_register(api, kCounted[i], on_first_event);
        mask |= UINT64_C(1) << kCounted[i];
    }
    count_events(mask);
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
    if (strcmp(wish, "least") == 0) {
        register_least(api);
        return;
    }
    const int last = strcmp(wish, "all") == 0 ? OMP_EVENT_THR_END_ATWT : OMP_EVENT_FORK;
    for (int event = OMP_EVENT_FORK; event <= last; ++event) {
        must_register(api, event, on_event);
    }
}
