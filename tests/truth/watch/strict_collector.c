/* SPDX-License-Identifier: Apache-2.0
 * A collector for long runs of any program: keeps nothing but counts. Every thread's events must
 * come in pairs, FORK as often as JOIN, and every sample (SIGPROF, as the Sun collector takes them)
 * must show a valid state with a region that fits it. Writes one line to the file that
 * OCB_STRICT_REPORT names, at the end of the process.
 */
#define _GNU_SOURCE
#include "omp_collector_client.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static OMP_COLLECTOR_API_FUNCTION api;
static atomic_long counts[OMP_EVENT_THR_END_ATWT + 1];
static atomic_long unpaired, samples, invalid, misfit, idle_in_region, wrong_state;
static __thread signed char open_pairs[OMP_EVENT_THR_END_ATWT + 1]
    __attribute__((tls_model("initial-exec")));

/* The state that STATE must show in a callback; 0: any. */
static const int kStateIn[OMP_EVENT_THR_END_ATWT + 1] = {
    [OMP_EVENT_FORK] = THR_OVHD_STATE,           [OMP_EVENT_JOIN] = THR_OVHD_STATE,
    [OMP_EVENT_THR_BEGIN_IDLE] = THR_IDLE_STATE, [OMP_EVENT_THR_END_IDLE] = THR_IDLE_STATE,
    [OMP_EVENT_THR_BEGIN_IBAR] = THR_IBAR_STATE, [OMP_EVENT_THR_END_IBAR] = THR_IBAR_STATE,
    [OMP_EVENT_THR_BEGIN_EBAR] = THR_EBAR_STATE, [OMP_EVENT_THR_END_EBAR] = THR_EBAR_STATE,
    [OMP_EVENT_THR_BEGIN_LKWT] = THR_LKWT_STATE, [OMP_EVENT_THR_END_LKWT] = THR_LKWT_STATE,
    [OMP_EVENT_THR_BEGIN_CTWT] = THR_CTWT_STATE, [OMP_EVENT_THR_END_CTWT] = THR_CTWT_STATE,
    [OMP_EVENT_THR_BEGIN_ODWT] = THR_ODWT_STATE, [OMP_EVENT_THR_END_ODWT] = THR_ODWT_STATE,
    [OMP_EVENT_THR_BEGIN_ATWT] = THR_ATWT_STATE, [OMP_EVENT_THR_END_ATWT] = THR_ATWT_STATE,
};

static int ask(uint64_t *region) {
    const omp_collector_thread_answer answer = omp_collector_ask_thread(api);
    *region = answer.region;
    return answer.state_error == OMP_ERRCODE_OK && answer.region_error == OMP_ERRCODE_OK
               ? answer.state
               : -1;
}

static void on_event(OMP_COLLECTORAPI_EVENT event) {
    uint64_t region = 0;
    const int state = ask(&region);
    atomic_fetch_add(&counts[event], 1);
    if (kStateIn[event] != 0 && state != kStateIn[event]) {
        atomic_fetch_add(&wrong_state, 1);
    }
    const int is_begin = event % 2 == 1;
    const int begin = is_begin ? event : event - 1;
    /* Regions nest; nothing else does here. */
    open_pairs[begin] += is_begin ? 1 : -1;
    if (open_pairs[begin] < 0 || (open_pairs[begin] > 1 && begin != OMP_EVENT_FORK)) {
        atomic_fetch_add(&unpaired, 1);
    }
}

static void on_sample(int number) {
    (void)number;
    const int saved_errno = errno;
    uint64_t region = 0;
    const int state = ask(&region);
    atomic_fetch_add(&samples, 1);
    if (state < THR_OVHD_STATE || state > THR_ATWT_STATE) {
        atomic_fetch_add(&invalid, 1);
    }
    if ((state == THR_WORK_STATE && region == 0) || (state == THR_SERIAL_STATE && region != 0)) {
        atomic_fetch_add(&misfit, 1);
    }
    /* Only around the END_IDLE callback, whose answers name the region to come. */
    if (state == THR_IDLE_STATE && region != 0) {
        atomic_fetch_add(&idle_in_region, 1);
    }
    errno = saved_errno;
}

static void begin_sampling(void) {
    const struct itimerval every_millisecond = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_PROF, &every_millisecond, NULL);
}

static int is_child;

static void go_on_in_child(void) {
    is_child = 1;
    atomic_store(&samples, 0);
    begin_sampling();
}

__attribute__((constructor)) static void begin(void) {
    api = omp_collector_find();
    if (omp_collector_request(api, OMP_REQ_START) != OMP_ERRCODE_OK) {
        return;
    }
    omp_collector_register_range(api, OMP_EVENT_FORK, OMP_EVENT_THR_END_ATWT, on_event);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_sample;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    pthread_atfork(NULL, NULL, go_on_in_child);
    begin_sampling();
}

__attribute__((destructor)) static void end(void) {
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &never, NULL);
    const char *name = getenv("OCB_STRICT_REPORT");
    char path[512];
    if (name == NULL) {
        return;
    }
    snprintf(path, sizeof path, "%s%s", name, is_child ? ".child" : "");
    FILE *report = fopen(path, "w");
    if (report == NULL) {
        return;
    }
    long events = 0;
    for (int event = 0; event <= OMP_EVENT_THR_END_ATWT; ++event) {
        events += counts[event];
    }
    fprintf(report,
            "events %ld forks %ld joins %ld samples %ld unpaired %ld wrong_state %ld invalid %ld "
            "misfit %ld idle_in_region %ld\n",
            events, (long)counts[OMP_EVENT_FORK], (long)counts[OMP_EVENT_JOIN], (long)samples,
            (long)unpaired, (long)wrong_state, (long)invalid, (long)misfit, (long)idle_in_region);
    fclose(report);
}
