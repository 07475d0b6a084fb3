/* SPDX-License-Identifier: Apache-2.0
 *
 * session.h - a test program as its own collector: finds the Collector API, starts a session with
 * all events, asks in callbacks and from a SIGPROF handler. Without the bridge in the process
 * nothing of this happens and the program does the rest of its work all the same.
 */
#ifndef OCB_ROBUSTNESS_SESSION_H
#define OCB_ROBUSTNESS_SESSION_H

#define _GNU_SOURCE
#include "omp_collector_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static OMP_COLLECTOR_API_FUNCTION api;
static atomic_long events_seen, samples_seen, answers_wrong;

static inline void find_api(void) {
    *(void **)&api = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
}

/* The record's error code; -1 where the call failed or there is no bridge. */
static inline int send_request(int request) {
    int list[5] = {16, request, 0, 0, 0};
    return api != NULL && api(list) == 0 ? list[2] : -1;
}

static inline int send_register(int event, OMP_COLLECTORAPI_CALLBACK callback) {
    int list[8] = {28, OMP_REQ_REGISTER, 0, 0, event, 0, 0, 0};
    memcpy(&list[5], &callback, sizeof callback);
    return api != NULL && api(list) == 0 ? list[2] : -1;
}

static inline int send_unregister(int event) {
    int list[6] = {20, OMP_REQ_UNREGISTER, 0, 0, event, 0};
    return api != NULL && api(list) == 0 ? list[2] : -1;
}

static inline void register_all(OMP_COLLECTORAPI_CALLBACK callback) {
    for (int event = OMP_EVENT_FORK; event <= OMP_EVENT_THR_END_FINISH_TASK; ++event)
        send_register(event, callback);
}

/* STATE and CURRENT_PRID in one batch; another thread may stop the session meanwhile. */
static inline void ask(void) {
    int list[14] = {28, OMP_REQ_STATE, 0, 0, 0, 0, 0, 24, OMP_REQ_CURRENT_PRID};
    if (api == NULL)
        return;
    const int result = api(list);
    const int state = list[4];
    if (result != 0 || (list[2] != OMP_ERRCODE_OK && list[2] != OMP_ERRCODE_SEQUENCE_ERR) ||
        (list[2] == OMP_ERRCODE_OK && (state < THR_OVHD_STATE || state >= THR_LAST_STATE)))
        atomic_fetch_add(&answers_wrong, 1);
}

static inline void on_any_event(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
    atomic_fetch_add(&events_seen, 1);
    ask();
}

static inline void on_sample(int number) {
    (void)number;
    const int saved_errno = errno;
    atomic_fetch_add(&samples_seen, 1);
    ask();
    errno = saved_errno;
}

static inline void begin_sampling(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_sample;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    const struct itimerval every_millisecond = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_PROF, &every_millisecond, NULL);
}

/* START, all events, samples. */
static inline void begin_session(void) {
    find_api();
    if (send_request(OMP_REQ_START) != OMP_ERRCODE_OK)
        return;
    register_all(on_any_event);
    begin_sampling();
}

/* The last line of every program: what it has computed, and whether the collector saw what there
 * was. The same text with and without the bridge. */
static inline int finish(long result) {
    if (answers_wrong != 0 || (api != NULL && events_seen == 0))
        fprintf(stderr, "events %ld wrong %ld\n", (long)events_seen, (long)answers_wrong);
    printf("result %ld\n", result);
    return answers_wrong != 0 || (api != NULL && events_seen == 0);
}

#endif
