/* SPDX-License-Identifier: Apache-2.0
 *
 * session.h - a test program as its own collector: finds the Collector API, starts a session with
 * all events, asks in callbacks and from a SIGPROF handler. Without the bridge in the process
 * nothing of this happens and the program does the rest of its work all the same.
 */
#ifndef OCB_ROBUSTNESS_SESSION_H
#define OCB_ROBUSTNESS_SESSION_H

#define _GNU_SOURCE
#include "omp_collector_client.h"

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
    api = omp_collector_find();
}

/* The record's error code; -1 where the call failed or there is no bridge. */
static inline int send_request(int request) {
    return omp_collector_request(api, request);
}

static inline int send_register(int event, OMP_COLLECTORAPI_CALLBACK callback) {
    return omp_collector_register(api, event, callback);
}

static inline int send_unregister(int event) {
    return omp_collector_unregister(api, event);
}

static inline void register_all(OMP_COLLECTORAPI_CALLBACK callback) {
    omp_collector_register_range(api, OMP_EVENT_FORK, OMP_EVENT_THR_END_FINISH_TASK, callback);
}

/* STATE and CURRENT_PRID in one batch; another thread may stop the session meanwhile. */
static inline void ask(void) {
    if (api == NULL) {
        return;
    }
    const omp_collector_thread_answer answer = omp_collector_ask_thread(api);
    const int error = answer.state_error;
    if ((error != OMP_ERRCODE_OK && error != OMP_ERRCODE_SEQUENCE_ERR) ||
        (error == OMP_ERRCODE_OK &&
         (answer.state < THR_OVHD_STATE || answer.state >= THR_LAST_STATE))) {
        atomic_fetch_add(&answers_wrong, 1);
    }
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
    if (send_request(OMP_REQ_START) != OMP_ERRCODE_OK) {
        return;
    }
    register_all(on_any_event);
    begin_sampling();
}

/* The last line of every program: what it has computed, and whether the collector saw what there
 * was. The same text with and without the bridge. */
static inline int finish(long result) {
    if (answers_wrong != 0 || (api != NULL && events_seen == 0)) {
        fprintf(stderr, "events %ld wrong %ld\n", (long)events_seen, (long)answers_wrong);
    }
    printf("result %ld\n", result);
    return answers_wrong != 0 || (api != NULL && events_seen == 0);
}

#endif
