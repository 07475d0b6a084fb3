/* SPDX-License-Identifier: Apache-2.0
 * What call paths cost the program, one line "NAME NS" each, in a team of one thread with DEPTH
 * functions of the program on the stack:
 *   hit     one region, forked from a stack that the collector has seen before
 *   walk    the same from one of more stacks than it remembers, so that each is walked
 *   sample  one signal of the collector: what it takes from the program's time, the kernel's
 *           part too. That is how much longer the gaps between two looks at the clock are than
 *           while the signal is blocked, when the timer rests: the kernel's own tick has gaps,
 *           too. A signal is known by what it leaves below the stack pointer.
 * Of twenty loops of regions the fastest counts. With --count the instructions are left in dumps of
 * their own where callgrind runs the program; nothing is timed then.
 *
 * call_paths [--count] DEPTH REGIONS SAMPLES        0 of either: left out
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name)
#endif

#define FUNCTION __attribute__((noinline))

enum {
    kShapes = 8192, /* of the stack; the collector has room for some 3,000 of a thread */
    kLoops = 20,
    kGap = 700,          /* ns between two looks at the clock that somebody else has taken */
    kElsewhere = 200000, /* ns; not a signal, but another program */
    kSlice = 40000000,   /* ns */
    kWords = 1024,
    kRedZone = 16 /* words */
};

typedef void body(long count);

static int counts_instructions;
static volatile long kept;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

FUNCTION static void fork_region(void) {
#pragma omp parallel num_threads(1)
    ++kept;
}

FUNCTION static void known_stack(long regions) {
    for (long i = 0; i < regions; ++i) {
        fork_region();
    }
    ++kept;
}

FUNCTION static void fork_from_shape(long shape) {
    char *const space = __builtin_alloca(16 * (size_t)(shape + 1));
    __asm__ volatile("" : : "r"(space) : "memory");
    fork_region();
    ++kept;
}

FUNCTION static void new_stacks(long regions) {
    for (long i = 0; i < regions; ++i) {
        fork_from_shape(i % kShapes);
    }
    ++kept;
}

/* DEPTH frames of different sizes. */
FUNCTION static void descend(int depth, body *then, long count) {
    if (depth <= 1) {
        then(count);
    } else if (depth % 3 == 0) {
        volatile char space[200];
        space[depth] = 1;
        descend(depth - space[depth], then, count);
    } else {
        descend(depth - 1, then, count);
    }
    ++kept;
}

static void time_regions(const char *name, int depth, body *then, long regions) {
    descend(depth, then, counts_instructions ? 2 * kShapes : regions);
    if (counts_instructions) {
        CALLGRIND_ZERO_STATS;
        descend(depth, then, regions);
        CALLGRIND_DUMP_STATS_AT(name);
        return;
    }
    double least = 0;
    for (int i = 0; i < kLoops; ++i) {
        const double begin = now();
        descend(depth, then, regions);
        const double took = now() - begin;
        if (least == 0 || took < least) {
            least = took;
        }
    }
    printf("%s %.1f\n", name, least / (double)regions);
}

/* The words below the stack pointer and its red zone belong to nobody but signals. */
static inline volatile long *free_words(void) {
    char *pointer;
    __asm__ volatile("mov %%rsp, %0" : "=r"(pointer));
    return (volatile long *)(pointer - sizeof(long) * (kWords + kRedZone));
}

static inline void mark(volatile long *words) {
    for (int i = 0; i < kWords; ++i) {
        words[i] = i;
    }
}

static inline int is_touched(volatile const long *words) {
    for (int i = 0; i < kWords; ++i) {
        if (words[i] != i) {
            return 1;
        }
    }
    return 0;
}

FUNCTION static void look_for_signals(long samples) {
    volatile long *const words = free_words();
    long found = 0;
    while (found < samples) {
        mark(words);
        while (!is_touched(words)) {
            ++kept;
        }
        ++found;
    }
    ++kept;
}

/* What has gone by, and how much of it in gaps. */
struct watched {
    double passed, in_gaps;
    long signals;
};

/* Looking at the clock calls the kernel's page, which uses some words of the stack: these are
 * above those that are marked. */
FUNCTION static void watch_clock(struct watched *to) {
    volatile long *const words = free_words() - kWords / 4;
    mark(words);
    const double begin = now();
    double before = begin;
    while (before - begin < kSlice) {
        const double time = now();
        const double gap = time - before;
        before = time;
        if (gap > kGap) {
            to->in_gaps += gap < kElsewhere ? gap : 0;
            if (is_touched(words)) {
                ++to->signals;
                mark(words);
                before = now();
            }
        }
    }
    to->passed += before - begin;
}

FUNCTION static void time_signals(long samples) {
    struct watched with = {0}, without = {0};
    sigset_t urgent;
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    while (with.signals < samples) {
        pthread_sigmask(SIG_BLOCK, &urgent, NULL);
        watch_clock(&without);
        pthread_sigmask(SIG_UNBLOCK, &urgent, NULL);
        watch_clock(&with);
    }
    const double expected = without.in_gaps / without.passed * with.passed;
    printf("sample %.1f\n", (with.in_gaps - expected) / (double)with.signals);
}

static void time_samples(int depth, long samples) {
#pragma omp parallel num_threads(1)
    {
        if (counts_instructions) {
            descend(depth, look_for_signals, 50);
            CALLGRIND_ZERO_STATS;
            descend(depth, look_for_signals, samples);
            CALLGRIND_DUMP_STATS_AT("sample");
        } else {
            descend(depth, time_signals, samples);
        }
    }
}

/* What is written below the stack pointer later does not let the stack grow. */
FUNCTION static void grow_stack(void) {
    volatile char space[1 << 18];
    for (size_t i = 0; i < sizeof space; i += 1024) {
        space[i] = 1;
    }
    kept += space[0];
}

int main(int count, char **words) {
    counts_instructions = count > 1 && strcmp(words[1], "--count") == 0;
    words += counts_instructions;
    if (count - counts_instructions != 4) {
        fprintf(stderr, "call_paths [--count] DEPTH REGIONS SAMPLES\n");
        return 2;
    }
    const int depth = atoi(words[1]);
    const long regions = atol(words[2]);
    const long samples = atol(words[3]);
    if (depth < 1) {
        return 2;
    }
    grow_stack();
    if (regions > 0) {
        time_regions("hit", depth, known_stack, regions);
        time_regions("walk", depth, new_stacks, regions);
    }
    if (samples > 0) {
        time_samples(depth, samples);
    }
    return 0;
}
