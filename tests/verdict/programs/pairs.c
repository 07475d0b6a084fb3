/* SPDX-License-Identifier: Apache-2.0
 *
 * Two problems of equal size: either may be first, and the other comes next.
 */
#include "planted.h"

#include <omp.h>
#include <stddef.h>

static int uneven_line;

/* One thread alone works. */
static __attribute__((noinline)) void uneven(double milliseconds) {
    uneven_line = __LINE__ + 1;
#pragma omp parallel num_threads(kThreads)
    work(omp_get_thread_num() == 0 ? milliseconds : 0);
}

static __attribute__((noinline)) void read_input(double milliseconds) {
    work(milliseconds);
    __asm__ volatile("" ::: "memory");
}

/* 400 ms each, of which a processor does nothing for half. */
PLANTED serial_and_imbalance(void) {
    double alone = 0;
    double serial = 0;
    CLOCKED(alone, uneven(400));
    CLOCKED(serial, read_input(400));
    truth("imbalance", "uneven", uneven_line, share_of(alone / kThreads));
    truth("serial-part", "read_input", 0, share_of(serial / kThreads));
}

PLANTED critical_and_imbalance(void) {
    double alone = 0;
    CLOCKED(alone, uneven(400));
    const double begin = wall_time();
    const int line = __LINE__ + 1;
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 50; ++i) {
#pragma omp critical(planted)
        work(4);
    }
    const double queued = (wall_time() - begin) / kThreads;
    truth("imbalance", "uneven", uneven_line, share_of(alone / kThreads));
    truth("contended-critical", __func__, line, share_of(queued));
}

PLANTED sleep_and_serial(void) {
#pragma omp parallel num_threads(kThreads)
    work(200);
    double serial = 0;
    CLOCKED(serial, read_input(400));
    const double begin = wall_time();
#pragma omp parallel num_threads(kThreads)
    rest(200);
    const double asleep = wall_time() - begin;
    truth("serial-part", "read_input", 0, share_of(serial / kThreads));
    truth("asleep", __func__, 0, share_of(asleep));
}

PLANTED lock_and_single(void) {
    static omp_lock_t one;
    omp_init_lock(&one);
    double needed = 0;
    const double begin = wall_time();
    const int queue_line = __LINE__ + 1;
#pragma omp parallel num_threads(kThreads) reduction(max : needed)
    {
        double queued = 0;
        for (int i = 0; i < 50; ++i) {
            CLOCKED(queued, omp_set_lock(&one));
            work(4);
            omp_unset_lock(&one);
        }
        needed = wall_time() - begin - queued;
    }
    const double middle = wall_time();
    omp_destroy_lock(&one);
    const int single_line = __LINE__ + 1;
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp single
        work(400);
    }
    const double end = wall_time();
    truth("lock-convoy", __func__, queue_line, share_of(middle - begin - needed));
    truth("lone-thread", __func__, single_line, share_of((end - middle) / kThreads));
}

PLANTED ordered_and_varying(void) {
    double queued = 0;
    const int ordered_line = __LINE__ + 1;
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(kThreads) reduction(+ : queued)
    for (int i = 0; i < 80; ++i) {
        const double came = wall_time();
#pragma omp ordered
        {
            queued += wall_time() - came;
            work(4);
        }
    }
    const double middle = wall_time();
    const int varying_line = __LINE__ + 1;
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 12; ++i) {
        work(i % 2 == omp_get_thread_num() ? 40 : 13.3);
#pragma omp barrier
    }
    const double end = wall_time();
    truth("false-ordered", __func__, ordered_line, share_of(queued / kThreads));
    truth("varying-imbalance", __func__, varying_line, share_of((end - middle) / 3));
}

const struct Planted kPairs[] = {
    {"serial-and-imbalance", serial_and_imbalance},
    {"critical-and-imbalance", critical_and_imbalance},
    {"sleep-and-serial", sleep_and_serial},
    {"lock-and-single", lock_and_single},
    {"ordered-and-varying", ordered_and_varying},
    {NULL, NULL},
};
