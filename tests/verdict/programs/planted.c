/* SPDX-License-Identifier: Apache-2.0
 *
 * planted NAME: executes one of the programs. planted --list: their names.
 */
#include "planted.h"

#include <errno.h>
#include <omp.h>
#include <stdio.h>
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

double steps(long count) {
    volatile double value = 1;
    for (long i = 0; i < count; ++i) {
        value = value * 0.999;
    }
    return value;
}

void work(double milliseconds) {
    const double end = processor_time() + milliseconds * 1e-3;
    while (processor_time() < end) {
        steps(2000);
    }
}

void rest(double milliseconds) {
    struct timespec left = {(time_t)(milliseconds / 1e3), 0};
    left.tv_nsec = (long)((milliseconds / 1e3 - (double)left.tv_sec) * 1e9);
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

double seconds_of_steps(long count) {
    double least = 1e9;
    for (int trial = 0; trial < 50; ++trial) {
        const long times = 1 + 20000 / count;
        const double begin = processor_time();
        for (long i = 0; i < times; ++i) {
            steps(count);
        }
        const double each = (processor_time() - begin) / (double)times;
        least = each < least ? each : least;
    }
    return least;
}

void truth(const char *causes, const char *place, int line, double gain) {
    printf("truth cause=%s place=%s line=%d gain=%.1f\n", causes, place, line, gain);
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
                each->run();
                return 0;
            }
        }
    }
    return strcmp(name, "--list") == 0 ? 0 : 2;
}
