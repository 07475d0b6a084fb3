/* SPDX-License-Identifier: Apache-2.0
 * constructs NAME COUNT [REPEATS] - executes a construct COUNT times, REPEATS times over, and
 * prints the nanoseconds of one in the fastest repeat. What measure.py runs, after the EPCC
 * benchmarks. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static volatile long sink;
static long shared_sum;
static omp_lock_t lock;

static void work(void) {
    for (int i = 0; i < 20; ++i) {
        sink = i;
    }
}

static void parallel(long count) {
    for (long i = 0; i < count; ++i) {
#pragma omp parallel
        work();
    }
}
static void barrier(long count) {
#pragma omp parallel
    for (long i = 0; i < count; ++i) {
        work();
#pragma omp barrier
    }
}
static void for_static(long count) {
#pragma omp parallel
    for (long i = 0; i < count; ++i) {
#pragma omp for
        for (int k = 0; k < 4; ++k) {
            work();
        }
    }
}
static void for_dynamic(long count) {
#pragma omp parallel
    for (long i = 0; i < count; ++i) {
#pragma omp for schedule(dynamic)
        for (int k = 0; k < 8; ++k) {
            work();
        }
    }
}
static void single(long count) {
#pragma omp parallel
    for (long i = 0; i < count; ++i) {
#pragma omp single
        work();
    }
}
static void critical(long count) {
#pragma omp parallel
    for (long i = 0; i < count; ++i) {
#pragma omp critical
        work();
    }
}
static void set_lock(long count) {
#pragma omp parallel
    for (long i = 0; i < count; ++i) {
        omp_set_lock(&lock);
        work();
        omp_unset_lock(&lock);
    }
}
static void ordered(long count) {
#pragma omp parallel for ordered schedule(static, 1)
    for (long i = 0; i < count; ++i) {
#pragma omp ordered
        work();
    }
}
static void reduction(long count) {
    for (long i = 0; i < count; ++i) {
#pragma omp parallel reduction(+ : shared_sum)
        shared_sum += 1;
    }
}
static void task(long count) {
#pragma omp parallel
#pragma omp master
    for (long i = 0; i < count; ++i) {
#pragma omp task
        work();
        if (i % 32 == 31) {
#pragma omp taskwait
        }
    }
}
static void taskloop(long count) {
#pragma omp parallel
#pragma omp master
    for (long i = 0; i < count; ++i) {
#pragma omp taskloop num_tasks(4)
        for (int k = 0; k < 8; ++k) {
            work();
        }
    }
}

static const struct {
    const char *name;
    void (*run)(long);
} kConstructs[] = {
    {"parallel", parallel}, {"reduction", reduction},     {"barrier", barrier},
    {"for", for_static},    {"for dynamic", for_dynamic}, {"single", single},
    {"critical", critical}, {"lock", set_lock},           {"ordered", ordered},
    {"task", task},         {"taskloop", taskloop},
};

/* libgomp gets a block for each region: how fast depends on what is free in the heap by then, and
 * where it ends. Everyone begins with nothing free, at the same place of a cache line. */
static void align_heap(void) {
    enum { kLarge = 100000 };
    char *volatile block;
    for (int i = 0; i < 4; ++i) {
        for (int size = 16; size < 8192; size += 16) {
            block = malloc((size_t)size);
        }
    }
    block = malloc(kLarge); /* from the heap's end, and the next one behind it */
    const uintptr_t end = (uintptr_t)block + kLarge + 16;
    block = malloc(kLarge + (64 - end % 64) + 16);
}

int main(int argc, char **argv) {
    const long count = argc > 2 ? atol(argv[2]) : 1000;
    const int repeats = argc > 3 ? atoi(argv[3]) : 1;
    parallel(1); /* whoever stands in front of the runtime begins */
    omp_init_lock(&lock);
    align_heap();
    for (unsigned i = 0; i < sizeof kConstructs / sizeof kConstructs[0]; ++i) {
        if (argc < 2 || strcmp(argv[1], kConstructs[i].name) != 0) {
            continue;
        }
        double best = 0;
        for (int repeat = 0; repeat < repeats; ++repeat) {
            const double begin = now();
            kConstructs[i].run(count);
            const double one = (now() - begin) / (double)count;
            best = repeat == 0 || one < best ? one : best;
        }
        printf("%.1f\n", best);
        return 0;
    }
    for (unsigned i = 0; i < sizeof kConstructs / sizeof kConstructs[0]; ++i) {
        puts(kConstructs[i].name);
    }
    return 0;
}
