/* SPDX-License-Identifier: Apache-2.0
 * What each OpenMP construct costs, one line "NAME NS" each: the time of one passage through an
 * (almost) empty construct, in loops of many; of twenty such loops the fastest, as on a shared
 * machine the others have lost the processor in between. With --count each construct's instructions
 * are left in a dump of its own where callgrind runs the program; nothing is timed then.
 *
 * constructs [--count] THREADS PASSAGES [NAME]
 */
#define _GNU_SOURCE
#include <omp.h>
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

static int threads;
static omp_lock_t lock;
static double shared_value;

/* The body of a construct, so that the compiler keeps the construct. */
static inline void body(void) {
    __asm__ volatile("" ::: "memory");
}

static void do_parallel(long passages) {
    for (long i = 0; i < passages; ++i) {
#pragma omp parallel num_threads(threads)
        body();
    }
}

static void do_for(long passages) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < passages; ++i) {
#pragma omp for
        for (int j = 0; j < threads; ++j) {
            body();
        }
    }
}

static void do_parallel_for(long passages) {
    for (long i = 0; i < passages; ++i) {
#pragma omp parallel for num_threads(threads)
        for (int j = 0; j < threads; ++j) {
            body();
        }
    }
}

static void do_barrier(long passages) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < passages; ++i) {
        body();
#pragma omp barrier
    }
}

static void do_single(long passages) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < passages; ++i) {
#pragma omp single
        body();
    }
}

static void do_single_nowait(long passages) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < passages; ++i) {
#pragma omp single nowait
        body();
    }
}

static void do_master(long passages) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < passages; ++i) {
#pragma omp master
        body();
    }
}

/* A passage is an iteration. */
static void do_dynamic(long passages) {
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, 1)
        for (long i = 0; i < passages; ++i) {
            body();
        }
    }
}

static void do_critical(long passages) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < passages / threads; ++i) {
#pragma omp critical
        body();
    }
}

static void do_lock(long passages) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < passages / threads; ++i) {
        omp_set_lock(&lock);
        body();
        omp_unset_lock(&lock);
    }
}

static void do_ordered(long passages) {
#pragma omp parallel for ordered schedule(static, 1) num_threads(threads)
    for (long i = 0; i < passages; ++i) {
#pragma omp ordered
        body();
    }
}

static void do_atomic(long passages) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < passages / threads; ++i) {
#pragma omp atomic
        shared_value += 1;
    }
}

static void do_reduction(long passages) {
    double sum = 0;
    for (long i = 0; i < passages; ++i) {
#pragma omp parallel reduction(+ : sum) num_threads(threads)
        sum += 1;
    }
    shared_value = sum;
}

static void do_task(long passages) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < passages / threads; ++i) {
#pragma omp task
        body();
    }
}

static void do_taskwait(long passages) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < passages; ++i) {
#pragma omp taskwait
        body();
    }
}

static const struct {
    const char *name;
    void (*run)(long passages);
} constructs[] = {
    {"parallel", do_parallel}, {"for", do_for},           {"parallel_for", do_parallel_for},
    {"barrier", do_barrier},   {"single", do_single},     {"single_nowait", do_single_nowait},
    {"master", do_master},     {"critical", do_critical}, {"lock", do_lock},
    {"ordered", do_ordered},   {"atomic", do_atomic},     {"reduction", do_reduction},
    {"task", do_task},         {"taskwait", do_taskwait}, {"dynamic", do_dynamic},
};

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double fastest(void (*run)(long passages), long passages) {
    enum { kLoops = 20 };
    const long part = passages / kLoops + 1;
    double best = 0;
    for (int loop = 0; loop < kLoops; ++loop) {
        const double begin = now_ns();
        run(part);
        const double spent = (now_ns() - begin) / (double)part;
        if (loop == 0 || spent < best) {
            best = spent;
        }
    }
    return best;
}

int main(int argc, char **argv) {
    const int counts = argc > 1 && strcmp(argv[1], "--count") == 0;
    argv += counts;
    argc -= counts;
    if (argc < 3) {
        fprintf(stderr, "usage: constructs [--count] THREADS PASSAGES [NAME]\n");
        return 2;
    }
    threads = atoi(argv[1]);
    const long passages = atol(argv[2]);
    omp_init_lock(&lock);
    for (size_t i = 0; i < sizeof constructs / sizeof constructs[0]; ++i) {
        if (argc > 3 && strcmp(argv[3], constructs[i].name) != 0) {
            continue;
        }
        constructs[i].run(passages / 10 + threads);
        double best = 0;
        if (counts) {
            CALLGRIND_ZERO_STATS;
            constructs[i].run(passages);
            CALLGRIND_DUMP_STATS_AT(constructs[i].name);
        } else {
            best = fastest(constructs[i].run, passages);
        }
        printf("%s %.2f\n", constructs[i].name, best);
    }
    return 0;
}
