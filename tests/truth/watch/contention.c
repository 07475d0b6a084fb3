/* SPDX-License-Identifier: Apache-2.0
 * How often is the table of held mutexes wrong? Several threads take one lock in a loop; each notes
 * for every acquisition how long it took and whether the collector inside this program was told of
 * a wait. Told of a wait that took no longer than an uncontended acquisition: false. Not told of
 * one that took at least as long as the lock is held: missed. Prints one line for the team's size.
 *
 * contention THREADS [ROUNDS]; run with the bridge preloaded.
 */
#define _GNU_SOURCE
#include "omp_collector_client.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static __thread int told;

static void on_event(OMP_COLLECTORAPI_EVENT event) {
    told += event == OMP_EVENT_THR_BEGIN_LKWT;
}

static void start_session(void) {
    const OMP_COLLECTOR_API_FUNCTION api = omp_collector_find();
    if (omp_collector_request(api, OMP_REQ_START) != OMP_ERRCODE_OK ||
        omp_collector_register(api, OMP_EVENT_THR_BEGIN_LKWT, on_event) != OMP_ERRCODE_OK) {
        fprintf(stderr, "contention: no session; preload the bridge\n");
        exit(1);
    }
}

static long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void spend(long ns) {
    const long end = now_ns() + ns;
    while (now_ns() < end) {
    }
}

/* The longest that an acquisition takes nobody holds the lock, and how long it is held. */
enum { FREE_NS = 1000, HELD_NS = 20000 };

int main(int argc, char **argv) {
    const int threads = argc > 1 ? atoi(argv[1]) : 2;
    const int rounds = argc > 2 ? atoi(argv[2]) : 2000;
    static omp_lock_t lock;
    long acquisitions = 0, waits = 0, missed = 0, false_ones = 0, events = 0;
    start_session();
    omp_init_lock(&lock);
#pragma omp parallel num_threads(threads) reduction(+ : acquisitions, waits, missed, false_ones, events)
    for (int i = 0; i < rounds; ++i) {
        told = 0;
        const long begin = now_ns();
        omp_set_lock(&lock);
        const long took = now_ns() - begin;
        const int was_told = told;
        spend(HELD_NS);
        omp_unset_lock(&lock);
        ++acquisitions;
        events += was_told;
        waits += took >= HELD_NS / 2;
        missed += took >= HELD_NS / 2 && !was_told;
        false_ones += took < FREE_NS && was_told;
        spend((i * 7919 + omp_get_thread_num() * 104729) % (2 * HELD_NS * threads));
    }
    printf("threads %d acquisitions %ld waits %ld told %ld missed %ld false %ld\n", threads,
           acquisitions, waits, events, missed, false_ones);
    return 0;
}
