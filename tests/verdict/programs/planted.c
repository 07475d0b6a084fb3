/* SPDX-License-Identifier: Apache-2.0
 *
 * planted NAME: executes one of the programs. planted --list: their names.
 */
#include "planted.h"

#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double processor_time(void) {
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}

double wall_time(void) {
    return seconds(CLOCK_MONOTONIC);
}

/* The processor cannot begin with one call's steps before those of the call before have ended. */
double steps(long count) {
    static _Thread_local volatile double value = 1;
    for (long i = 0; i < count; ++i) {
        value = value * 0.999 + 0.001;
    }
    return value;
}

/* Longer than asked for, all alike: a millisecond of ours is in no step with the system's clock. */
static double millisecond = 1.09e-3;

double longer(double count) {
    const char *times = getenv("PLANTED_TIMES");
    return count * (times ? atof(times) : 1);
}

double seconds_of_work(double milliseconds) {
    return milliseconds * millisecond;
}

void work(double milliseconds) {
    const double end = processor_time() + seconds_of_work(milliseconds);
    while (processor_time() < end) {
        steps(2000);
    }
}

void rest(double milliseconds) {
    const double seconds_left = milliseconds * millisecond;
    struct timespec left = {(time_t)seconds_left, 0};
    left.tv_nsec = (long)((seconds_left - (double)left.tv_sec) * 1e9);
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

/* All threads at once: processors that share a core are slower together. */
double seconds_of_steps(long count) {
    double each = 0;
#pragma omp parallel num_threads(kThreads)
    {
        const double begin = processor_time();
        long times = 0;
        while (processor_time() < begin + 0.02) {
            const long end = times + 1 + 20000 / count;
            for (; times < end; ++times) {
                steps(count);
            }
        }
        const double mean = (processor_time() - begin) / (double)times;
#pragma omp single
        each = mean;
    }
    return each;
}

static double begin_of_all;

double share_of(double seconds_lost) {
    return 100 * seconds_lost / (wall_time() - begin_of_all);
}

void truth(const char *causes, const char *place, int line, double gain) {
    printf("truth cause=%s place=%s line=%d gain=%.1f\n", causes, place, line, gain);
}

void truth_if_noticeable(const char *causes, const char *place, int line, double gain) {
    const double noticeable = 5;
    if (gain >= noticeable) {
        truth(causes, place, line, gain);
    } else {
        puts("truth healthy");
    }
}

int main(int argc, char **argv) {
    const struct Planted *const lists[] = {kBalance, kWaits, kOutside, kSystem, kPairs, kHealthy};
    const char *name = argc == 2 ? argv[1] : "";
    for (size_t list = 0; list < sizeof lists / sizeof *lists; ++list) {
        for (const struct Planted *each = lists[list]; each->name; ++each) {
            if (strcmp(name, "--list") == 0) {
                puts(each->name);
            } else if (strcmp(name, each->name) == 0) {
                omp_set_dynamic(0);
                millisecond = longer(millisecond);
                begin_of_all = wall_time();
                each->run();
                return 0;
            }
        }
    }
    return strcmp(name, "--list") == 0 ? 0 : 2;
}
