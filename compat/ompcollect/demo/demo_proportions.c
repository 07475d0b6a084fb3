/* SPDX-License-Identifier: Apache-2.0
 *
 * demo-proportions: an OpenMP program whose proportions are known. Two threads go through phases
 * that last for set times by the clock, however busy the machine is, so the shares that a profile
 * shows can be held against the ones printed here. What a phase should cost stands beside it and in
 * `expected`. With "clock" the program prints what it did cost by its own clock, too: on a busy
 * machine a lock is handed on late.
 *
 * Usage: KMP_FORCE_REDUCTION=critical demo-proportions [unit in milliseconds, default 100 [clock]]
 *
 * The variable is libomp's. Without it libomp lets clang's code combine under a critical region of
 * the compiler's own making, and then no runtime and no tool can tell that this is a reduction.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Phases keep their names in the profile. */
#define PHASE static __attribute__((noinline))

enum { kThreads = 2 };

static double unit; /* seconds */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* What each thread did, in seconds. Written by the thread itself, but for kIdle and kBarrier, which
 * the initial thread adds behind a region. */
enum { kSerial, kIdle, kWork, kBarrier, kCritical, kReduction, kStates };
static const char *const kStateNames[kStates] = {"SERIAL", "IDLE", "WORK", "IBAR", "CTWT", "REDUC"};

static struct {
    double seconds[kStates];
    double last; /* when it did the last of it in this region */
} done[kThreads] __attribute__((aligned(64)));

/* The thread was in this state since it did the last thing. */
static void did(int state) {
    const int thread = omp_get_thread_num();
    const double time = now();
    done[thread].seconds[state] += time - done[thread].last;
    done[thread].last = time;
}

static void begin_region(void) {
    const double time = now();
    for (int thread = 0; thread < kThreads; ++thread) {
        done[thread].last = time;
    }
}

static void end_region(void) {
    const double time = now();
    for (int thread = 0; thread < kThreads; ++thread) {
        done[thread].seconds[kBarrier] += time - done[thread].last;
    }
}

/* Work, that is, be in user code, for this long. */
static void work(double units) {
    const double end = now() + units * unit;
    while (now() < end) {
    }
}

/* Thread 0 works three times as long as thread 1, which waits at the end of the region. */
PHASE void imbalance(void) {
    begin_region();
#pragma omp parallel num_threads(kThreads)
    {
        work(omp_get_thread_num() == 0 ? 12 : 4);
        did(kWork);
    }
    end_region();
}

/* Both threads want the same critical region all the time: one is in, one waits. The first to be
 * done waits for the other's last turn at the barrier. */
enum { kTurns = 16 };

PHASE void contention(void) {
    begin_region();
#pragma omp parallel num_threads(kThreads)
    for (int turn = 0; turn < kTurns; ++turn) {
#pragma omp critical(demo_contended)
        {
            did(kCritical);
            work(0.5);
            did(kWork);
        }
    }
    end_region();
}

/* A reduction whose combination takes long: each thread combines for two units, one after the
 * other, so the second waits for the first inside the reduction, and the first then for the second
 * at the barrier. */
typedef struct {
    double value;
} Slow;

static int is_hidden(void) {
    const char *method = getenv("KMP_FORCE_REDUCTION");
    return !method || strcmp(method, "critical") != 0;
}

static void combine(Slow *into, const Slow *from) {
    did(is_hidden() ? kCritical : kReduction);
    work(2);
    into->value += from->value;
    did(is_hidden() ? kWork : kReduction);
}

#pragma omp declare reduction(slow:Slow : combine(&omp_out, &omp_in)) initializer(omp_priv = {0})

PHASE double reduction(void) {
    Slow sum = {0};
    begin_region();
#pragma omp parallel num_threads(kThreads) reduction(slow : sum)
    sum.value += 1;
    end_region();
    return sum.value;
}

/* Thread 0 works alone while the other has nothing to do. */
PHASE void serial(void) {
    begin_region();
    work(10);
    did(kSerial);
    for (int thread = 1; thread < kThreads; ++thread) {
        done[thread].seconds[kIdle] += now() - done[thread].last;
    }
}

/* Thread time of all phases, in units. */
typedef struct {
    const char *state;
    double units;
    double hidden; /* what it is instead where the reduction is hidden */
} Expected;

static const Expected expected[] = {
    {"SERIAL", 10, 10},                             /* serial */
    {"IDLE", 10, 10},                               /* serial */
    {"WORK", 12 + 4 + kTurns, 12 + 4 + kTurns + 4}, /* imbalance, contention */
    {"IBAR", 8 + 0.5 + 2, 8 + 0.5 + 2},             /* imbalance, contention, reduction */
    {"CTWT", kTurns - 0.5, kTurns - 0.5 + 2},       /* contention: all but the last turn */
    {"REDUC", 2 + 2 + 2, 0},                        /* combine, wait and combine */
};
enum { kExpected = sizeof expected / sizeof expected[0] };

static void print_expected(void) {
    double sum = 0;
    for (int i = 0; i < kExpected; ++i) {
        sum += expected[i].units;
    }
    printf("expected shares of all samples, in percent:");
    for (int i = 0; i < kExpected; ++i) {
        const double units = is_hidden() ? expected[i].hidden : expected[i].units;
        printf(" %s %.1f", expected[i].state, 100 * units / sum);
    }
    printf("\n");
}

static void print_done(void) {
    double sums[kStates] = {0};
    double sum = 0;
    for (int thread = 0; thread < kThreads; ++thread) {
        for (int state = 0; state < kStates; ++state) {
            sums[state] += done[thread].seconds[state];
            sum += done[thread].seconds[state];
        }
    }
    printf("by the program's own clock:");
    for (int state = 0; state < kStates; ++state) {
        printf(" %s %.1f", kStateNames[state], 100 * sums[state] / sum);
    }
    printf("\n");
}

int main(int argc, char **argv) {
    unit = (argc > 1 ? atof(argv[1]) : 100) / 1000;
    if (unit <= 0) {
        fprintf(stderr, "usage: %s [unit in milliseconds [clock]]\n", argv[0]);
        return 2;
    }
    imbalance();
    contention();
    serial();
    if (reduction() != kThreads) {
        fprintf(stderr, "demo-proportions: the reduction is wrong\n");
        return 1;
    }
    print_expected();
    if (argc > 2 && strcmp(argv[2], "clock") == 0) {
        print_done();
    }
    return 0;
}
