/* SPDX-License-Identifier: Apache-2.0
 *
 * Work that is shared out unevenly.
 */
#include "planted.h"

#include <omp.h>
#include <stddef.h>
#include <stdio.h>

/* One thread works 600, the other 200: evenly shared it would be 400 each. */
PLANTED three_to_one(void) {
    TRUTH("imbalance", 33.3);
#pragma omp parallel num_threads(kThreads)
    work(omp_get_thread_num() == 0 ? 600 : 200);
}

PLANTED two_to_one_often(void) {
    TRUTH("imbalance", 25);
    for (int i = 0; i < 20; ++i) {
#pragma omp parallel num_threads(kThreads)
        work(omp_get_thread_num() == 1 ? 40 : 20);
    }
}

/* The later iterations are the longer ones: 1 + 2 + ... under a static schedule. */
PLANTED triangle(void) {
    TRUTH("imbalance,graded-imbalance", 33.5);
#pragma omp parallel for schedule(static) num_threads(kThreads)
    for (int i = 1; i <= 100; ++i) {
        work(0.2 * i);
    }
}

PLANTED triangle_repaired(void) {
    puts("truth healthy");
#pragma omp parallel for schedule(dynamic, 1) num_threads(kThreads)
    for (int i = 1; i <= 100; ++i) {
        work(0.2 * i);
    }
}

PLANTED long_section(void) {
    TRUTH("imbalance", 40);
#pragma omp parallel sections num_threads(kThreads)
    {
        work(600);
#pragma omp section
        work(120);
    }
}

/* Three equal tasks for two threads. A thread that others keep from its processor may take as long
 * for one of them as the other one for two: then nobody waits, and it is healthy. */
PLANTED few_tasks(void) {
    static double ended[kThreads]; /* of each thread's last task */
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp single nowait
        for (int i = 0; i < 3; ++i) {
#pragma omp task
            {
                work(300);
                ended[omp_get_thread_num()] = wall_time();
            }
        }
    }
    const double waited = 2 * wall_time() - ended[0] - ended[1];
    const double noticeable = 5;
    if (share_of(waited / kThreads) >= noticeable) {
        truth("imbalance", __func__, 0, 25);
    } else {
        puts("truth healthy");
    }
}

/* Dynamic already, but the first chunk is three quarters of the work. */
PLANTED large_chunks(void) {
    TRUTH("imbalance", 33.3);
#pragma omp parallel for schedule(dynamic, 30) num_threads(kThreads)
    for (int i = 0; i < 40; ++i) {
        work(20);
    }
}

/* Many short singles, in the region itself and in another one: neither is what is waited for. */
static __attribute__((noinline)) void count_steps(int count) {
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < count; ++i) {
#pragma omp single
        steps(100);
    }
}

PLANTED beside_singles(void) {
    count_steps(2000);
    TRUTH("imbalance", 33.3);
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 200; ++i) {
#pragma omp single
        steps(100);
        work(omp_get_thread_num() == 0 ? 3 : 1);
#pragma omp barrier
    }
}

/* Each phase has another late thread. Over the whole run both work the same. */
PLANTED varying(void) {
    TRUTH("varying-imbalance", 33.3);
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 20; ++i) {
        work(i % 2 == omp_get_thread_num() ? 36 : 12);
#pragma omp barrier
    }
}

PLANTED varying_loops(void) {
    TRUTH("varying-imbalance", 25);
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 16; ++i) {
#pragma omp for schedule(static, 1)
        for (int j = 0; j < kThreads; ++j) {
            work(i % 2 == j ? 40 : 20);
        }
    }
}

/* Only one thread is asked to take part. */
PLANTED team_of_one(void) {
#pragma omp parallel num_threads(kThreads)
    work(100);
    const double begin = wall_time();
    const int line = __LINE__ + 1;
#pragma omp parallel num_threads(1)
    work(700);
    truth("small-team", __func__, line, share_of((wall_time() - begin) / kThreads));
}

PLANTED team_of_one_repaired(void) {
    puts("truth healthy");
#pragma omp parallel num_threads(kThreads)
    work(100);
#pragma omp parallel num_threads(kThreads)
    work(350);
}

/* Forty places, each too small to be seen by itself. */
#define PLACE(number)                                                                              \
    static __attribute__((noinline)) void place_##number(void) {                                   \
        _Pragma("omp parallel num_threads(kThreads)")                                              \
            work(omp_get_thread_num() == (number) % 2 ? 26 : 14);                                  \
    }
/* clang-format off */
#define FIVE(n) PLACE(n##0) PLACE(n##1) PLACE(n##2) PLACE(n##3) PLACE(n##4)
FIVE(1) FIVE(2) FIVE(3) FIVE(4) FIVE(5) FIVE(6) FIVE(7) FIVE(8)
#define CALL(n) place_##n##0(); place_##n##1(); place_##n##2(); place_##n##3(); place_##n##4();
    /* clang-format on */

    PLANTED spread_thin(void) {
    truth("imbalance", "place_", 0, 23.1);
    CALL(1) CALL(2) CALL(3) CALL(4) CALL(5) CALL(6) CALL(7) CALL(8)
}

const struct Planted kBalance[] = {
    {"three-to-one", three_to_one}, {"two-to-one-often", two_to_one_often},
    {"triangle", triangle},         {"triangle-repaired", triangle_repaired},
    {"long-section", long_section}, {"few-tasks", few_tasks},
    {"large-chunks", large_chunks}, {"beside-singles", beside_singles},
    {"varying", varying},           {"varying-loops", varying_loops},
    {"team-of-one", team_of_one},   {"team-of-one-repaired", team_of_one_repaired},
    {"spread-thin", spread_thin},   {NULL, NULL},
};
