/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads wait for each other inside a region, or for the runtime.
 */
#include "planted.h"

#include <omp.h>
#include <stddef.h>

/* All of it is inside: two threads take as long as one. */
PLANTED critical(void) {
    TRUTH("contended-critical", 50);
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 100; ++i) {
#pragma omp critical(planted)
        work(4);
    }
}

/* A third of the time is outside: who waits works there meanwhile. */
PLANTED critical_half(void) {
    TRUTH("contended-critical", 25);
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 100; ++i) {
#pragma omp critical(planted)
        work(4);
        work(2);
    }
}

PLANTED lock(void) {
    static omp_lock_t one;
    omp_init_lock(&one);
    TRUTH("lock-convoy", 50);
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 100; ++i) {
        omp_set_lock(&one);
        work(4);
        omp_unset_lock(&one);
    }
    omp_destroy_lock(&one);
}

/* Two locks, each as contended as the other. */
PLANTED two_locks(void) {
    static omp_lock_t both[2];
    omp_init_lock(&both[0]);
    omp_init_lock(&both[1]);
    TRUTH("contended-locks,lock-convoy", 50);
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 100; ++i) {
        omp_set_lock(&both[i / 50]);
        work(4);
        omp_unset_lock(&both[i / 50]);
    }
    omp_destroy_lock(&both[0]);
    omp_destroy_lock(&both[1]);
}

PLANTED ordered(void) {
    TRUTH("false-ordered", 50);
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(kThreads)
    for (int i = 0; i < 200; ++i) {
#pragma omp ordered
        work(4);
    }
}

PLANTED single(void) {
    TRUTH("single-in-loop", 33.3);
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 100; ++i) {
#pragma omp single
        work(4);
        work(2);
#pragma omp barrier
    }
}

PLANTED master(void) {
    TRUTH("single-in-loop,imbalance", 25); /* gcc executes a master without the runtime */
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 100; ++i) {
#pragma omp master
        work(4);
#pragma omp barrier
        work(4);
#pragma omp barrier
    }
}

/* Who executes the single does all of it. */
PLANTED lone_single(void) {
    TRUTH("lone-thread", 50);
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp single
        work(800);
    }
}

/* An entry does so little that entering and leaving is most of it. */
static __attribute__((noinline)) void enter(long count, long entries) {
    for (long i = 0; i < entries; ++i) {
#pragma omp parallel num_threads(kThreads)
        steps(count);
    }
}

static void tiny(long count) {
    const double each = seconds_of_steps(count);
    long entries = 0;
    enter(count, 1000);
    const double begin = wall_time();
    for (; wall_time() < begin + longer(0.8); entries += 1000) {
        enter(count, 1000);
    }
    const double all = wall_time() - begin;
    truth("tiny-regions", "enter", 0, share_of(all - (double)entries * each));
}

PLANTED tiny_1us(void) {
    tiny(400);
}

PLANTED tiny_5us(void) {
    tiny(2500);
}

/* The tasks do nearly nothing: creating and handing them out is what costs. */
PLANTED task_flood(void) {
    const double each = seconds_of_steps(2);
    const long tasks = (long)longer(1500000);
    const double begin = wall_time();
    const int line = __LINE__ + 1;
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp single
        for (long i = 0; i < tasks; ++i) {
#pragma omp task
            steps(2);
        }
    }
    const double ideal = (double)tasks * each / kThreads;
    truth("runtime-work", __func__, line, share_of(wall_time() - begin - ideal));
}

/* Each iteration is fetched from the runtime, and is much shorter than the fetching. */
PLANTED small_chunks(void) {
    const double each = seconds_of_steps(1);
    const long iterations = (long)longer(5000000);
    const double begin = wall_time();
    const int line = __LINE__ + 1;
#pragma omp parallel for schedule(dynamic, 1) num_threads(kThreads)
    for (long i = 0; i < iterations; ++i) {
        steps(1);
    }
    const double ideal = (double)iterations * each / kThreads;
    truth("runtime-work", __func__, line, share_of(wall_time() - begin - ideal));
}

/* Each entry combines copies of a large array; the loop itself is short. */
enum { kArray = 200000 };
static double sums[kArray];

static __attribute__((noinline)) int array_reduction(int entries, long count) {
    const int line = __LINE__ + 2;
    for (int i = 0; i < entries; ++i) {
#pragma omp parallel for num_threads(kThreads) reduction(+ : sums[:kArray])
        for (int j = 0; j < 2; ++j) {
            sums[j] += steps(count);
        }
    }
    return line;
}

PLANTED reduction(void) {
    const long count = 200000;
    const int entries = (int)longer(600);
    const double begin = wall_time();
    const int line = array_reduction(entries, count);
    const double all = wall_time() - begin;
    const double ideal = seconds_of_steps(count) * entries;
    truth("slow-reduction", "array_reduction", line, share_of(all - ideal));
}

const struct Planted kWaits[] = {
    {"critical", critical},
    {"critical-half", critical_half},
    {"lock", lock},
    {"two-locks", two_locks},
    {"ordered", ordered},
    {"single", single},
    {"master", master},
    {"lone-single", lone_single},
    {"tiny-1us", tiny_1us},
    {"tiny-5us", tiny_5us},
    {"task-flood", task_flood},
    {"small-chunks", small_chunks},
    {"reduction", reduction},
    {NULL, NULL},
};
