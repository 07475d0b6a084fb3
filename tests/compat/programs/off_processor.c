/* SPDX-License-Identifier: Apache-2.0
 *
 * off_processor WHAT: threads that do not run, and why is known.
 *   sleep    in a region of two, the second thread sleeps while the first works; then all of it in
 *            serial code, in poll()
 *   task     the second thread comes to a barrier and executes a task of the first one there, in
 *            which it sleeps; the first waits for it at the barrier
 *   oversubscribed  eight threads for each processor work all the time
 *   bound    each of two threads binds itself to one and the same processor, and both work
 *   queue    the same, with all work in a critical region: one works, and the other waits
 *   late     as bound, and the second works an eleventh of what the first does
 */
#define _GNU_SOURCE
#include <omp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* By the thread's own processor time. */
__attribute__((noinline)) void burn(double seconds) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    const double end = (double)time.tv_sec + (double)time.tv_nsec * 1e-9 + seconds;
    do {
        for (volatile int i = 0; i < 20000; i = i + 1) {
        }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    } while ((double)time.tv_sec + (double)time.tv_nsec * 1e-9 < end);
}

__attribute__((noinline)) void rest(void) {
    const double end = now() + 0.8;
    for (double left = 0.8; left > 0; left = end - now()) {
        const struct timespec time = {0, (long)(left * 1e9) % 1000000000};
        nanosleep(&time, NULL);
    }
}

__attribute__((noinline)) void wait_for_nothing(void) {
    const double end = now() + 0.6;
    for (double left = 0.6; left > 0; left = end - now()) {
        poll(NULL, 0, (int)(left * 1000) + 1);
    }
}

static void sleep_in_a_region(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            rest();
        } else {
            burn(0.1);
        }
    }
    wait_for_nothing();
}

/* Nobody runs meanwhile. */
static void sleep_by_turns(void) {
    const struct timespec longer = {0, 60000000};
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 8; ++i) {
        nanosleep(&longer, NULL);
        poll(NULL, 0, 20);
    }
}

static void sleep_in_a_task(void) {
    static int is_taken;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp task
            {
                __atomic_store_n(&is_taken, 1, __ATOMIC_RELEASE);
                rest();
            }
            const double end = now() + 10;
            while (!__atomic_load_n(&is_taken, __ATOMIC_ACQUIRE) && now() < end) {
                burn(0.001);
            }
        }
#pragma omp barrier
    }
}

static void crowd(void) {
    const int threads = 8 * omp_get_num_procs();
#pragma omp parallel num_threads(threads)
    burn(0.2);
}

static void bind_to_one(void) {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    int first = 0;
    while (!CPU_ISSET(first, &set)) {
        ++first;
    }
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void share_one(void) {
#pragma omp parallel num_threads(2)
    {
        bind_to_one();
        burn(0.5);
    }
}

/* Prints for how long one of them was inside, by the clock. */
static void queue_on_one(void) {
#pragma omp parallel num_threads(2)
    {
        bind_to_one();
        for (int i = 0; i < 40; ++i) {
#pragma omp critical
            burn(0.01);
        }
    }
}

static void come_late_on_one(void) {
#pragma omp parallel num_threads(2)
    {
        bind_to_one();
        burn(omp_get_thread_num() == 0 ? 0.55 : 0.05);
#pragma omp barrier
    }
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    if (strcmp(what, "sleep") == 0) {
        sleep_in_a_region();
    } else if (strcmp(what, "turns") == 0) {
        sleep_by_turns();
    } else if (strcmp(what, "task") == 0) {
        sleep_in_a_task();
    } else if (strcmp(what, "oversubscribed") == 0) {
        crowd();
    } else if (strcmp(what, "bound") == 0) {
        share_one();
    } else if (strcmp(what, "queue") == 0) {
        queue_on_one();
    } else if (strcmp(what, "late") == 0) {
        come_late_on_one();
    } else {
        return 2;
    }
    puts("done");
    return 0;
}
