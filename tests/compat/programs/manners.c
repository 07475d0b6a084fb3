/* SPDX-License-Identifier: Apache-2.0
 *
 * manners WHAT: a program that notices whether somebody disturbs it. What it prints must not depend
 * on who watches.
 *   bystander a thread of its own that works
 *   busy MS   a region of so many milliseconds of each thread's processor time
 *   looks MS  works and then sleeps for so long, in a region of one thread that has a processor for
 *             itself where real-time priorities are permitted; on stderr: the share
 *             of the first part on a processor, and how often the collector's thread slept in each
 *   naps      threads sleep many times for a moment, and print what the system has counted of it
 *   forks_inside  forks in a region, with which both processes go on
 *   become P  becomes P after a region
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "work.h"

#include <dirent.h>
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kThreads = 3 };

static void *bystand(void *milliseconds) {
    work(*(double *)milliseconds);
    return NULL;
}

static void bystander(void) {
    double milliseconds = 700; /* the collector looks for it each half second */
    pthread_t thread;
    pthread_create(&thread, NULL, bystand, &milliseconds);
    region(100);
    pthread_join(thread, NULL);
    region(1);
}

static __attribute__((noinline)) void inner_region(void) {
#pragma omp parallel num_threads(1)
    work(20);
    errno = 0;
}

/* Both processes go on with the region. */
static __attribute__((noinline)) void forks_inside(void) {
#pragma omp parallel num_threads(1)
    {
        const pid_t child = fork();
        inner_region();
        work(20);
        if (child > 0) {
            waitpid(child, NULL, 0);
        }
    }
    errno = 0;
}

/* Of the thread with the collector's name; -1 without one. */
static long sleeps_of_collector(void) {
    long sleeps = -1;
    char path[300];
    char line[200];
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; sleeps < 0 && (task = readdir(tasks)) != NULL;) {
        snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
        FILE *status = fopen(path, "r");
        int is_it = 0;
        while (status && fgets(line, sizeof line, status)) {
            is_it = is_it || strcmp(line, "Name:\tompcollect\n") == 0;
            if (is_it && sscanf(line, "voluntary_ctxt_switches: %ld", &sleeps) == 1) {
                break;
            }
        }
        if (status) {
            fclose(status);
        }
    }
    closedir(tasks);
    return sleeps;
}

/* Before the others on the machine, where that is permitted; the collector's thread too, as it
 * begins later. */
static void take_a_processor(void) {
    const struct sched_param lowest = {sched_get_priority_min(SCHED_FIFO)};
    sched_setscheduler(0, SCHED_FIFO, &lowest);
}

static void looks(long milliseconds) {
    take_a_processor();
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
#pragma omp parallel num_threads(1)
    {
        work((double)milliseconds / 4); /* at first the collector meets the thread */
        const double begin = now(), cpu = own_cpu();
        const long first = sleeps_of_collector();
        work((double)milliseconds);
        const long second = sleeps_of_collector();
        const double share = (own_cpu() - cpu) / (now() - begin);
        nanosleep(&time, NULL);
        fprintf(stderr, "looks %.3f %ld %ld\n", share, second - first,
                sleeps_of_collector() - second);
    }
}

/* Each thread naps as often as its number says, and prints what the system has counted of it. */
static void naps(void) {
    const struct timespec nap = {0, 100000};
#pragma omp parallel num_threads(kThreads)
    {
        for (int i = 0; i < 300 * omp_get_thread_num(); ++i) {
            nanosleep(&nap, NULL);
        }
#pragma omp barrier
        struct rusage used;
        getrusage(RUSAGE_THREAD, &used);
#pragma omp critical
        printf("%d %ld %ld\n", (int)gettid(), used.ru_nvcsw, used.ru_nivcsw);
    }
}

/* The same in a thread that ends, with a region of its own. */
static void *naps_and_ends(void *times) {
    const struct timespec nap = {0, 100000};
#pragma omp parallel num_threads(1)
    for (long i = 0; i < *(long *)times; ++i) {
        nanosleep(&nap, NULL);
    }
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    printf("%d %ld %ld\n", (int)gettid(), used.ru_nvcsw, used.ru_nivcsw);
    return NULL;
}

static void naps_in_all_threads(void) {
    long times = 200;
    pthread_t thread;
    omp_get_max_threads(); /* so the thread that ends is not the first one */
    pthread_create(&thread, NULL, naps_and_ends, &times);
    pthread_join(thread, NULL);
    naps();
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    const long number = argc > 2 ? atol(argv[2]) : 0;
    if (strcmp(what, "bystander") == 0) {
        bystander();
    } else if (strcmp(what, "busy") == 0) {
        region((double)number);
    } else if (strcmp(what, "forks_inside") == 0) {
        omp_set_max_active_levels(2);
        forks_inside();
    } else if (strcmp(what, "naps") == 0) {
        naps_in_all_threads();
    } else if (strcmp(what, "looks") == 0) {
        looks(number);
    } else if (strcmp(what, "no_files") == 0) {
        const struct rlimit none = {0, 0};
        region((double)number);
        setrlimit(RLIMIT_FSIZE, &none);
        region((double)number);
    } else if (strcmp(what, "become") == 0) {
        region(50);
        execl(argv[2], argv[2], (char *)NULL);
    }
    return 0;
}
