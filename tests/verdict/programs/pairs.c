/* SPDX-License-Identifier: Apache-2.0
 *
 * Two problems of equal size: either may be first, and the other comes next.
 */
#include "planted.h"

#include <omp.h>
#include <stddef.h>

static __attribute__((noinline)) void uneven(const char *causes, double gain, double more,
                                             double less) {
    truth(causes, __func__, __LINE__ + 1, gain);
#pragma omp parallel num_threads(kThreads)
    work(omp_get_thread_num() == 0 ? more : less);
}

static __attribute__((noinline)) void read_input(double milliseconds) {
    work(milliseconds);
    __asm__ volatile("" ::: "memory");
}

/* 400 ms each, of which a processor does nothing for half. */
PLANTED serial_and_imbalance(void) {
    uneven("imbalance", 25, 400, 0);
    truth("serial-part", "read_input", 0, 25);
    read_input(400);
}

PLANTED critical_and_imbalance(void) {
    uneven("imbalance", 25, 400, 0);
    TRUTH("contended-critical", 25);
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 50; ++i) {
#pragma omp critical(planted)
        work(4);
    }
}

PLANTED sleep_and_serial(void) {
#pragma omp parallel num_threads(kThreads)
    work(200);
    truth("serial-part", "read_input", 0, 25);
    read_input(400);
    truth("asleep", "sleep_and_serial", 0, 25);
#pragma omp parallel num_threads(kThreads)
    rest(200);
}

PLANTED lock_and_single(void) {
    static omp_lock_t one;
    omp_init_lock(&one);
    TRUTH("lock-convoy", 25);
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 50; ++i) {
        omp_set_lock(&one);
        work(4);
        omp_unset_lock(&one);
    }
    omp_destroy_lock(&one);
    TRUTH("lone-thread", 25);
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp single
        work(400);
    }
}

PLANTED ordered_and_wandering(void) {
    TRUTH("false-ordered", 20);
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(kThreads)
    for (int i = 0; i < 80; ++i) {
#pragma omp ordered
        work(4);
    }
    TRUTH("wandering-imbalance", 20);
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 12; ++i) {
        work(i % 2 == omp_get_thread_num() ? 40 : 13.3);
#pragma omp barrier
    }
}

const struct Planted kPairs[] = {
    {"serial-and-imbalance", serial_and_imbalance},
    {"critical-and-imbalance", critical_and_imbalance},
    {"sleep-and-serial", sleep_and_serial},
    {"lock-and-single", lock_and_single},
    {"ordered-and-wandering", ordered_and_wandering},
    {NULL, NULL},
};
