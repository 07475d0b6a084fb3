/* SPDX-License-Identifier: Apache-2.0
 *
 * planted NAME: executes one of the programs. planted --list: their names.
 */
#include "planted.h"

#include <dirent.h>
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
static _Thread_local volatile double value = 1;

double steps(long count) {
    for (long i = 0; i < count; ++i) {
        value = value * 0.999 + 0.001;
    }
    return value;
}

double steps_for(long number, long count) {
    value = value * 0.999 + (double)number;
    return steps(count - 1);
}

/* Longer than asked for, all alike: a millisecond of ours is in no step with the system's clock. */
static double millisecond = 1.09e-3;

static char **words;

void need_setting(const char *name, const char *value) {
    const char *now = getenv(name);
    if (!now || strcmp(now, value) != 0) {
        setenv(name, value, 1);
        execv("/proc/self/exe", words);
        exit(4);
    }
}

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
                steps_for(times, count);
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

/* The sum of the columns of "cpu user nice system idle ..." in which processors did something, in
 * seconds. The kernel's ticks are 10 ms. */
static double busy_seconds(void) {
    double columns[8] = {0};
    FILE *file = fopen("/proc/stat", "r");
    if (!file ||
        fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &columns[0], &columns[1], &columns[2],
               &columns[3], &columns[4], &columns[5], &columns[6], &columns[7]) != 8) {
        exit(3);
    }
    fclose(file);
    const double idle = columns[3] + columns[4];
    double all = 0;
    for (int i = 0; i < 8; ++i) {
        all += columns[i];
    }
    return (all - idle) / (double)sysconf(_SC_CLK_TCK);
}

static double busy_at_begin;
static int processors_at_begin; /* a program may bind itself to fewer */

double processors_left(void) {
    const double others = busy_seconds() - busy_at_begin - seconds(CLOCK_PROCESS_CPUTIME_ID);
    return processors_at_begin - (others > 0 ? others : 0) / (wall_time() - begin_of_all);
}

double pace(void) {
    double ran = 0;
    double waited = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *task; tasks && (task = readdir(tasks));) {
        char path[300];
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
        FILE *file = task->d_name[0] != '.' ? fopen(path, "r") : NULL;
        double both[2];
        if (file && fscanf(file, "%lf %lf", &both[0], &both[1]) == 2) {
            ran += both[0];
            waited += both[1];
        }
        if (file) {
            fclose(file);
        }
    }
    closedir(tasks);
    return ran / (ran + waited);
}

void truth(const char *causes, const char *place, int line, double gain) {
    printf("truth cause=%s place=%s line=%d gain=%.1f\n", causes, place, line, gain);
}

int main(int argc, char **argv) {
    words = argv;
    const struct Planted *const lists[] = {kBalance, kWaits,  kOutside, kSystem,
                                           kPairs,   kOthers, kHealthy};
    const char *name = argc == 2 ? argv[1] : "";
    for (size_t list = 0; list < sizeof lists / sizeof *lists; ++list) {
        for (const struct Planted *each = lists[list]; each->name; ++each) {
            if (strcmp(name, "--list") == 0) {
                puts(each->name);
            } else if (strcmp(name, each->name) == 0) {
                omp_set_dynamic(0);
                millisecond = longer(millisecond);
                processors_at_begin = omp_get_num_procs();
                busy_at_begin = busy_seconds();
                begin_of_all = wall_time();
                each->run();
                return 0;
            }
        }
    }
    return strcmp(name, "--list") == 0 ? 0 : 2;
}
