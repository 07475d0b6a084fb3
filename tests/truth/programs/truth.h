/* SPDX-License-Identifier: Apache-2.0
 *
 * truth.h - how a program of the matrix says what is true of it. Before each phase of a thread the
 * program marks the state that the thread is going to be in and the events that are going to be
 * delivered to it, up to the thread's next mark:
 *
 *     say("EBAR BEGIN_EBAR END_EBAR");
 *
 * The first word is the state that samples must show, "any" where none is claimed (the moments of
 * fork and join), or "END" for a worker at the end of its region: IBAR while the region runs, IDLE
 * once its master has left it. An event with a question mark may be missing (what the next region
 * or the program's end brings). Nothing else may be delivered, unless a star stands among the
 * events. An at-sign says that the region began before the session. A program ends with "any", so
 * that its last phase has an end (say_program_ends). truth_test.cpp holds the logs against this.
 */
#ifndef OCB_TRUTH_H
#define OCB_TRUTH_H

#include "marks.h"
#include "workers_leave.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A program ends with it where the runtime has failed it, tool or none; matrix_run.cpp knows it. */
enum { RUNTIME_FAILS = 75 };

#define say(what) mark(what)

/* gcc has one function for all barriers: the runtime cannot tell explicit ones. */
#ifdef __clang__
#define EBAR "EBAR"
#else
#define EBAR "IBAR"
#endif

/* What libomp does not report of gcc's programs and libgomp-ompt does: single copyprivate. */
#ifdef __clang__
#define ON_LIBGOMP         0
#define SINGLE_IS_REPORTED 1
#else
#define ON_LIBGOMP         variable_is("OCB_TEST_RUNTIME", "libgomp")
#define SINGLE_IS_REPORTED ON_LIBGOMP
#endif

#define AT_EXPLICIT_BARRIER EBAR " BEGIN_" EBAR " END_" EBAR
#define AT_IMPLICIT_BARRIER "IBAR BEGIN_IBAR END_IBAR"
#define FORKS               "any FORK"
#define MASTER_ENDS         "IBAR BEGIN_IBAR END_IBAR JOIN"
#define WORKER_ENDS         "END BEGIN_IBAR END_IBAR BEGIN_IDLE END_IDLE?"
#define SERIALIZED_ENDS     "any JOIN"
#define WAITS(x)            x " BEGIN_" x " END_" x

/* What the tests say of the way in which they start a program (openmp_run.cpp). */
static inline int variable_is(const char *name, const char *value) {
    const char *text = getenv(name);
    return text != NULL && strcmp(text, value) == 0;
}

/* The length of a phase. */
static inline double phase_ms(void) {
    const char *text = getenv("OCB_TRUTH_MS");
    return text ? atof(text) : 30;
}

static inline double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Stays in the program's own code for so many phases: half of the time sleeping, as two processors
 * are all that the machine may have, and signals cut a sleep short. */
static inline void stay(double phases) {
    const double end = now_ms() + phases * phase_ms();
    while (now_ms() < end) {
        const struct timespec little = {0, 100000};
        nanosleep(&little, NULL);
    }
}

/* Until another thread has run a task that sets `is_run`. With a passive waiting policy libomp now
 * and then puts that thread to sleep as the task comes and never wakes it (2 runs of 150 with
 * libomp 19, 1 of 1149 with libomp 14, no tool around). Nothing is shown by that. */
static inline void wait_until_run(atomic_int *is_run) {
    const double end = now_ms() + 3000;
    while (!atomic_load(is_run)) {
        if (now_ms() > end) {
            _exit(RUNTIME_FAILS);
        }
        stay(0.01);
    }
}

/* Where the thread's region ends, said in its last statement. */
static inline void say_region_ends(void) {
    say(omp_get_thread_num() == 0 ? MASTER_ENDS : WORKER_ENDS);
}

/* At the end of a program: workers that had no processor are still to be told of their end. */
static inline void say_program_ends(void) {
    let_workers_leave();
    say("any");
}

/* A front meets a thread in its second use of OpenMP: what a program shows behind this holds from
 * then on. */
static inline void use_openmp_once(void) {
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        say(omp_get_thread_num() == 0 ? MASTER_ENDS : WORKER_ENDS " *");
    }
    say("SERIAL");
}

/* Whether the runtime's entries are watched too, as under the launcher: what no callback tells is
 * known then. */
static inline int with_front(void) {
    return variable_is("OCB_TEST_WAY", "launcher");
}

/* Threads that meet outside the runtime's sight. */
typedef struct {
    atomic_int count;
} meeting;

static inline void gather(meeting *place, int threads) {
    const int target = (atomic_fetch_add(&place->count, 1) / threads + 1) * threads;
    while (atomic_load(&place->count) < target) {
        const struct timespec little = {0, 20000};
        nanosleep(&little, NULL);
    }
}

#endif /* OCB_TRUTH_H */
