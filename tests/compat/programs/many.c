/* SPDX-License-Identifier: Apache-2.0
 *
 * many WHAT N: many of what a collector keeps.
 *   grow N     N fork locations (each a call path of its own), 3 regions each
 *   places N   64 places of a function fork, N times each
 *   threads N  N threads one after the other, each with a region
 *   sleepers MS [SIGNAL]  32 threads that sleep for so long; ends itself by the signal
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "work.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The bits of `path` say which of two places forks at each level: many paths from few places. */
static void nest(long path);

static __attribute__((noinline)) void nest_odd(long path) {
#pragma omp parallel num_threads(1)
    nest(path >> 1);
}

static __attribute__((noinline)) void nest_even(long path) {
#pragma omp parallel num_threads(1)
    nest(path >> 1);
}

static __attribute__((noinline)) void nest(long path) {
    if (path & 1) {
        nest_odd(path);
    } else if (path != 0) {
        nest_even(path);
    }
}

/* Forks from 64 places of one function, which have their stack pointer in common. */
#define FORK_HERE() _Pragma("omp parallel num_threads(1)") work(0);
#define FORK_4()    FORK_HERE() FORK_HERE() FORK_HERE() FORK_HERE()
#define FORK_16()   FORK_4() FORK_4() FORK_4() FORK_4()
static __attribute__((noinline)) void fork_from_64_places(void) {
    FORK_16()
    FORK_16()
    FORK_16()
    FORK_16()
}

/* The same from below a frame that is aligned: where its caller is stands in the frame. */
static __attribute__((noinline)) void fork_from_below(long a, long b, long c, long d, long e,
                                                      long f, long g, long h) {
    __attribute__((aligned(64))) volatile long space[8] = {a, b, c, d, e, f, g, h};
    volatile char *more = __builtin_alloca((size_t)space[7]); /* gcc keeps no frame pointer else */
    fork_from_64_places();
    more[0] = 0;
}

static void *one_region(void *unused) {
#pragma omp parallel num_threads(1)
    work(0);
    return unused;
}

/* Many samples without much work: they are taken of each thread that sleeps. */
static __attribute__((noinline)) void sleepers(long milliseconds) {
#pragma omp parallel num_threads(32)
    usleep((useconds_t)milliseconds * 1000);
}

static void grow(long paths) {
    omp_set_max_active_levels(1);
    for (int round = 0; round < 3; ++round) {
        for (long path = paths; path < 2 * paths; ++path) {
            nest(path);
        }
    }
}

static void threads(long number) {
    for (long i = 0; i < number; ++i) {
        pthread_t thread;
        pthread_create(&thread, NULL, one_region, NULL);
        pthread_join(thread, NULL);
    }
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    const long number = argc > 2 ? atol(argv[2]) : 0;
    if (strcmp(what, "grow") == 0) {
        grow(number);
    } else if (strcmp(what, "places") == 0) {
        for (long i = 0; i < number; ++i) {
            fork_from_below(1, 2, 3, 4, 5, 6, 7, 8);
        }
    } else if (strcmp(what, "threads") == 0) {
        threads(number);
    } else if (strcmp(what, "sleepers") == 0) {
        sleepers(number);
        if (argc > 3) {
            raise(atoi(argv[3]));
        }
    }
    return 0;
}
