// SPDX-License-Identifier: Apache-2.0
//
// compared [STEPS]: the program that changes. Two regions and a serial part, each some steps of
// computation (1 if not given), so that the work is the same in each run. What another build
// changes:
//   -DSLOWER=N    relax() does N percent more
//   -DRENAMED     relax() is called smooth(), and stands some lines below
//   -DINLINED     relax() is part of the region that calls it
//   -DUNEVEN      thread 0 has all of the second region's work
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef SLOWER
#define SLOWER 0
#endif
#ifdef INLINED
#define KIND static inline __attribute__((always_inline))
#else
#define KIND static __attribute__((noinline))
#endif

enum { kRounds = 40000 };

static __attribute__((noinline)) double turned(double value, long rounds) {
    for (long i = 0; i < rounds; ++i) {
        value = value * 1.0000001 + 1e-9;
    }
    return value;
}

#ifdef RENAMED
// It has another name now,
// and another line.
#define relax smooth
#endif
KIND double relax(double value, long steps) {
    for (long i = 0; i < steps * kRounds * (100 + SLOWER) / 100; ++i) {
        value = value * 1.0000001 + 1e-9;
    }
    return value;
}

static __attribute__((noinline)) double prepared(long steps) {
    return turned(1, steps * kRounds);
}

static __attribute__((noinline)) double solved(double value, long steps) {
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum += relax(value, 20 * steps);
    return sum;
}

static __attribute__((noinline)) double summed(double value, long steps) {
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
#ifdef UNEVEN
        const long own = omp_get_thread_num() == 0 ? 10 * omp_get_num_threads() : 0;
#else
        const long own = 10;
#endif
        sum += turned(value, own * steps * kRounds);
    }
    return sum;
}

int main(int argc, char **argv) {
    const long steps = argc > 1 ? atol(argv[1]) : 1;
    printf("%.6f\n", summed(solved(prepared(10 * steps), steps), steps));
    return 0;
}
