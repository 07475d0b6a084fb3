/* SPDX-License-Identifier: Apache-2.0
 *
 * What the operating system does with the threads: too many for the processors, all on one, asleep.
 */
#define _GNU_SOURCE
#include "planted.h"

#include <omp.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/* Percent of the time in which processors that others have left did nothing of so much work. */
static double share_idle(double processor_seconds) {
    return 100 - share_of(processor_seconds / processors_left());
}

/* Four for each processor. Nothing is lost but what barriers then cost. */
PLANTED too_many(void) {
    const int threads = 4 * omp_get_num_procs();
    const int line = __LINE__ + 1;
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < 30; ++i) {
        work(5);
#pragma omp barrier
    }
    truth("oversubscription", __func__, line, share_idle(threads * seconds_of_work(30 * 5)));
}

/* One for each processor. */
PLANTED too_many_repaired(void) {
    const int threads = omp_get_num_procs();
    puts("truth healthy");
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < 30; ++i) {
        work(20);
#pragma omp barrier
    }
}

PLANTED nested(void) {
    omp_set_max_active_levels(2);
    const int inner = 2 * omp_get_num_procs();
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 20; ++i) {
#pragma omp parallel num_threads(inner)
        work(8);
    }
    const double done = kThreads * inner * seconds_of_work(20 * 8);
    truth("nested-oversubscription", __func__, 0, share_idle(done));
}

static void bind_to_first(void) {
    cpu_set_t all;
    cpu_set_t one;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&one);
    int first = 0;
    while (!CPU_ISSET(first, &all)) {
        ++first;
    }
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* The program itself binds each thread to the same processor. */
PLANTED one_core(void) {
    const int line = __LINE__ + 1;
#pragma omp parallel num_threads(kThreads)
    {
        bind_to_first();
        work(500);
    }
    truth("one-processor", __func__, line, share_idle(kThreads * seconds_of_work(500)));
}

static __attribute__((noinline)) void wait_for_device(double milliseconds) {
    rest(milliseconds);
    __asm__ volatile("" ::: "memory");
}

/* One thread sleeps for as long as both work. Where others keep its team-mate from its processor,
 * that one comes later than the sleeper would without its sleep, and less of this is lost. */
PLANTED one_sleeps(void) {
    enum { kTimes = 10 };
    double worked[kTimes][kThreads] = {0};
    double asleep[kTimes] = {0};
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < kTimes; ++i) {
        CLOCKED(worked[i][omp_get_thread_num()], work(40));
        if (omp_get_thread_num() == 1) {
            CLOCKED(asleep[i], wait_for_device(40));
        }
#pragma omp barrier
    }
    double lost = 0;
    for (int i = 0; i < kTimes; ++i) {
        const double before = worked[i][0] - worked[i][1]; /* of the sleep nobody waits */
        lost += before <= 0 ? asleep[i] : before < asleep[i] ? asleep[i] - before : 0;
    }
    truth("asleep", "wait_for_device", 0, share_of(lost));
}

PLANTED all_sleep(void) {
    double asleep = 0;
#pragma omp parallel num_threads(kThreads) reduction(+ : asleep)
    for (int i = 0; i < 10; ++i) {
        work(40);
        CLOCKED(asleep, wait_for_device(40));
    }
    truth("asleep", "wait_for_device", 0, share_of(asleep / kThreads));
}

static __attribute__((noinline)) void wait_for_data(double milliseconds) {
    int ends[2];
    if (pipe(ends) == 0) {
        struct pollfd one = {ends[0], POLLIN, 0};
        const double end = wall_time() + milliseconds * 1e-3;
        for (double left = milliseconds; left > 0; left = (end - wall_time()) * 1e3) {
            poll(&one, 1, (int)left + 1);
        }
        close(ends[0]);
        close(ends[1]);
    }
}

/* The thread with the data is waited for at the end alone. */
PLANTED polls(void) {
    double asleep = 0;
#pragma omp parallel num_threads(kThreads)
    {
        work(320);
        if (omp_get_thread_num() == 0) {
            CLOCKED(asleep, wait_for_data(longer(480)));
        }
    }
    truth("asleep", "wait_for_data", 0, share_of(asleep));
}

const struct Planted kSystem[] = {
    {"too-many", too_many},     {"too-many-repaired", too_many_repaired},
    {"nested", nested},         {"one-core", one_core},
    {"one-sleeps", one_sleeps}, {"all-sleep", all_sleep},
    {"polls", polls},           {NULL, NULL},
};
