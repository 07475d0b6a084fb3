/* SPDX-License-Identifier: Apache-2.0
 *
 * diseases NAME: a program with one classical OpenMP disease. Work is measured in processor time,
 * so that a busy machine changes nothing about its proportions.
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Each disease keeps its name in the profile. */
#define DISEASE static __attribute__((noinline)) void

enum { kThreads = 2 };

static volatile double sink;

static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void work(double milliseconds) {
    const double end = processor_time() + milliseconds * 1e-3;
    while (processor_time() < end) {
    }
}

DISEASE imbalance(void) {
#pragma omp parallel num_threads(kThreads)
    work(omp_get_thread_num() == 0 ? 360 : 80);
}

DISEASE serial_part(void) {
    work(360);
#pragma omp parallel num_threads(kThreads)
    work(120);
}

DISEASE tiny_regions(void) {
    const double end = processor_time() + 0.2;
    for (int hundreds = 0; hundreds < 40 || processor_time() < end; ++hundreds) {
        for (int i = 0; i < 100; ++i) {
#pragma omp parallel num_threads(kThreads)
            sink = i;
        }
    }
}

DISEASE contended_critical(void) {
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 120; ++i) {
#pragma omp critical(contended)
        work(2);
    }
}

/* The dynamic schedule hands out neighbours, and each waits for the one before it. */
DISEASE false_ordered(void) {
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(kThreads)
    for (int i = 0; i < 200; ++i) {
#pragma omp ordered
        work(2);
    }
}

DISEASE single_in_loop(void) {
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 240; ++i) {
#pragma omp single
        work(1);
        work(0.5);
    }
}

DISEASE nested_oversubscription(void) {
    omp_set_max_active_levels(2);
    const int inner = 2 * omp_get_num_procs();
#pragma omp parallel num_threads(4)
    {
#pragma omp parallel num_threads(inner)
        work(60);
    }
}

DISEASE task_flood(void) {
#pragma omp parallel num_threads(kThreads)
#pragma omp single
    for (int i = 0; i < 1500000; ++i) {
#pragma omp task
        sink = i;
    }
}

/* Iteration i takes i steps; a static schedule gives the last thread most of them. */
DISEASE triangle(void) {
#pragma omp parallel for schedule(static) num_threads(kThreads)
    for (int i = 0; i < 60; ++i) {
        work(i * 0.24);
    }
}

DISEASE lock_convoy(void) {
    static omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 120; ++i) {
        omp_set_lock(&lock);
        work(2);
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
}

/* Who holds the mutex keeps the other waiting: nearly all of the waiting is for the long hold. */
static omp_lock_t shared_lock;

DISEASE hold_long(void) {
    omp_set_lock(&shared_lock);
    work(8);
    omp_unset_lock(&shared_lock);
}

DISEASE hold_briefly(void) {
    omp_set_lock(&shared_lock);
    work(0.2);
    omp_unset_lock(&shared_lock);
}

DISEASE enter_long(void) {
#pragma omp critical(shared)
    work(8);
}

DISEASE enter_briefly(void) {
#pragma omp critical(shared)
    work(0.2);
}

static void take_turns(void (*a)(void), void (*b)(void)) {
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 50; ++i) {
        (omp_get_thread_num() == 0 ? a : b)();
        work(0.5);
    }
}

DISEASE held_lock(void) {
    omp_init_lock(&shared_lock);
    take_turns(hold_long, hold_briefly);
    omp_destroy_lock(&shared_lock);
}

DISEASE held_critical(void) {
    take_turns(enter_long, enter_briefly);
}

/* One pragma, and a fork of it wherever the function is taken in. */
static inline __attribute__((always_inline)) void fork_here(double milliseconds) {
#pragma omp parallel num_threads(kThreads)
    work(omp_get_thread_num() == 0 ? milliseconds : milliseconds / 3);
}

static int first_fork;

/* Three forks, in an order that is not known before. One has no sample in the region's code. */
DISEASE several_forks(void) {
    for (int i = 0; i < 3; ++i) {
        switch ((first_fork + i) % 3) {
        case 0:
            fork_here(120);
            work(1);
            break;
        case 1:
            fork_here(120);
            work(2);
            break;
        default:
            fork_here(0);
            work(3);
        }
    }
}

DISEASE several_forks_turned(void) {
    first_fork = 1;
    several_forks();
}

enum { kCopied = 400000 };
static double copied[kCopied];

/* Copies of a large array are cleared and added up. The loop does nothing else. */
DISEASE array_reduction(void) {
    for (int i = 0; i < 60; ++i) {
#pragma omp parallel for num_threads(kThreads) reduction(+ : copied[:kCopied])
        for (int j = 0; j < kThreads; ++j) {
            copied[j] += 1;
        }
    }
}

static void *fork_once(void *unused) {
#pragma omp parallel num_threads(kThreads)
    work(100);
    return unused;
}

/* Each of two threads has a team of its own in one region, at the same time. */
DISEASE two_teams(void) {
    pthread_t other;
    if (pthread_create(&other, NULL, fork_once, NULL) == 0) {
        fork_once(NULL);
        pthread_join(other, NULL);
    }
}

static const struct {
    const char *name;
    void (*function)(void);
} diseases[] = {
    {"imbalance", imbalance},
    {"serial-part", serial_part},
    {"tiny-regions", tiny_regions},
    {"contended-critical", contended_critical},
    {"false-ordered", false_ordered},
    {"single-in-loop", single_in_loop},
    {"nested-oversubscription", nested_oversubscription},
    {"runtime-work", task_flood},
    {"graded-imbalance", triangle},
    {"lock-convoy", lock_convoy},
    {"held-lock", held_lock},
    {"held-critical", held_critical},
    {"several-forks", several_forks},
    {"several-forks-turned", several_forks_turned},
    {"two-teams", two_teams},
    {"slow-reduction", array_reduction},
};

int main(int argc, char **argv) {
    for (size_t i = 0; argc == 2 && i < sizeof diseases / sizeof *diseases; ++i) {
        if (strcmp(argv[1], diseases[i].name) == 0) {
            diseases[i].function();
            return 0;
        }
    }
    fprintf(stderr, "usage: diseases NAME\n");
    return 2;
}
