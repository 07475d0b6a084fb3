/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole collector: it counts a program's events. A thousand times per second of the process's
 * processor time, the thread that the signal meets asks for its own state. Both are printed at the
 * end. docs/COLLECTOR-GUIDE.md shows this file.
 */
#include <omp_collector_client.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static OMP_COLLECTOR_API_FUNCTION api;
static long events[OMP_EVENT_THR_END_ATWT + 1], states[THR_LAST_STATE];

static void on_event(OMP_COLLECTORAPI_EVENT event) {
    __atomic_add_fetch(&events[event], 1, __ATOMIC_RELAXED);
}

static void on_sample(int number) {
    (void)number;
    __atomic_add_fetch(&states[omp_collector_ask_thread(api).state], 1, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void begin(void) {
    const struct itimerval every_millisecond = {{0, 1000}, {0, 1000}};
    api = omp_collector_find();
    const int error = omp_collector_request(api, OMP_REQ_START);
    if (error != OMP_ERRCODE_OK) {
        fprintf(stderr, "no session: %s\n", omp_collector_error_name(error));
        return; /* the session, if there is one, is another collector's */
    }
    omp_collector_register_range(api, OMP_EVENT_FORK, OMP_EVENT_THR_END_ATWT, on_event);
    signal(SIGPROF, on_sample);
    setitimer(ITIMER_PROF, &every_millisecond, NULL);
}

__attribute__((destructor)) static void report(void) {
    signal(SIGPROF, SIG_IGN);
    for (int event = OMP_EVENT_FORK; event <= OMP_EVENT_THR_END_ATWT; ++event)
        if (events[event] > 0)
            printf("%9ld %s\n", events[event], omp_collector_event_name(event));
    for (int state = THR_OVHD_STATE; state < THR_LAST_STATE; ++state)
        if (states[state] > 0)
            printf("%9ld samples in %s\n", states[state], omp_collector_state_name(state));
}
