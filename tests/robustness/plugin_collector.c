/* SPDX-License-Identifier: Apache-2.0
 *
 * A collector that is opened and closed while the program runs: a session from its constructor to
 * its destructor, which is the last moment before its code is unmapped.
 */
#include "omp_collector_client.h"

#include <stdatomic.h>

extern __attribute__((visibility("default"))) atomic_long plugin_events;
atomic_long plugin_events;

static OMP_COLLECTOR_API_FUNCTION api;

static void on_event(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
    atomic_fetch_add(&plugin_events, 1);
    for (volatile int i = 0; i < 1000; ++i) {
    }
}

__attribute__((constructor)) static void begin(void) {
    api = omp_collector_find();
    if (omp_collector_request(api, OMP_REQ_START) == OMP_ERRCODE_OK) {
        omp_collector_register_range(api, OMP_EVENT_FORK, OMP_EVENT_THR_END_ATWT, on_event);
    }
}

__attribute__((destructor)) static void end(void) {
    omp_collector_request(api, OMP_REQ_STOP);
}
