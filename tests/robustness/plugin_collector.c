/* SPDX-License-Identifier: Apache-2.0
 *
 * A collector that is opened and closed while the program runs: a session from its constructor to
 * its destructor, which is the last moment before its code is unmapped.
 */
#define _GNU_SOURCE
#include "omp_collector_api.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

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
    *(void **)&api = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    int start[5] = {16, OMP_REQ_START, 0, 0, 0};
    if (api == NULL || api(start) != 0 || start[2] != OMP_ERRCODE_OK)
        return;
    for (int event = OMP_EVENT_FORK; event <= OMP_EVENT_THR_END_ATWT; ++event) {
        int list[8] = {28, OMP_REQ_REGISTER, 0, 0, event, 0, 0, 0};
        OMP_COLLECTORAPI_CALLBACK callback = on_event;
        memcpy(&list[5], &callback, sizeof callback);
        api(list);
    }
}

__attribute__((destructor)) static void end(void) {
    int stop[5] = {16, OMP_REQ_STOP, 0, 0, 0};
    if (api != NULL)
        api(stop);
}
