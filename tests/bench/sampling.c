/* SPDX-License-Identifier: Apache-2.0
 *
 * sampling work SECONDS     threads of a region work, for so much processor time in all
 * sampling sleep SECONDS    they sleep
 * sampling meet COUNT       they work for some microseconds and meet in a barrier, so many times
 *
 * Prints the processor time of the process and the elapsed time; of `sleep` what the sampling
 * thread took, in percent of a processor.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void sleep_for(double seconds) {
    const struct timespec time = {(time_t)seconds,
                                  (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

static void read_line(const char *task, const char *file, char *line, int size) {
    char path[320];
    snprintf(path, sizeof path, "/proc/self/task/%s/%s", task, file);
    FILE *from = fopen(path, "r");
    line[0] = 0;
    if (from) {
        if (!fgets(line, size, from)) {
            line[0] = 0;
        }
        fclose(from);
    }
}

/* -1: there is none. */
static double of_sampling_thread(void) {
    double used = -1;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks)) != NULL;) {
        char line[128];
        read_line(task->d_name, "comm", line, sizeof line);
        if (strcmp(line, "ompcollect\n") == 0) {
            read_line(task->d_name, "schedstat", line, sizeof line);
            used = 1e-9 * atof(line);
        }
    }
    if (tasks) {
        closedir(tasks);
    }
    return used;
}

static void work(double seconds) {
    const double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    volatile double sum = 0;
    do {
        for (int i = 0; i < 20000; ++i) {
            sum = sum + i;
        }
    } while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end);
}

static void sleep_watched(double seconds) {
#pragma omp parallel
    {
#pragma omp barrier
        if (omp_get_thread_num() != 0) {
            sleep_for(seconds + 1);
        } else {
            sleep_for(0.3);
            const double before = of_sampling_thread();
            sleep_for(seconds);
            printf("share %.3f\n", 100 * (of_sampling_thread() - before) / seconds);
        }
    }
}

static void meet(long count) {
#pragma omp parallel
    for (long i = 0; i < count; ++i) {
        volatile double sum = 0;
        for (int k = 0; k < 5000; ++k) {
            sum = sum + k;
        }
#pragma omp barrier
    }
}

int main(int count, char **arguments) {
    if (count < 3) {
        return 2;
    }
    const double begin = seconds_of(CLOCK_MONOTONIC);
    const double amount = atof(arguments[2]);
    if (strcmp(arguments[1], "work") == 0) {
#pragma omp parallel
        work(amount / omp_get_num_threads());
    } else if (strcmp(arguments[1], "sleep") == 0) {
        sleep_watched(amount);
    } else {
        meet((long)amount);
    }
    printf("used %.4f elapsed %.4f\n", seconds_of(CLOCK_PROCESS_CPUTIME_ID),
           seconds_of(CLOCK_MONOTONIC) - begin);
    return 0;
}
