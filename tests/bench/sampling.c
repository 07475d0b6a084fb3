/* SPDX-License-Identifier: Apache-2.0
 *
 * sampling work SECONDS     threads of a region work, for so much processor time in all
 * sampling sleep SECONDS    they sleep
 * sampling meet COUNT       they work for some microseconds and meet in a barrier, so many times
 * sampling signal RATE      one thread works, and a perf event on it sends so many signals a
 * second, whose handler does nothing
 *
 * Prints the processor time of the process and the elapsed time; of `sleep` what the sampling
 * thread took, in percent of a processor; of `signal` what a signal took.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

static volatile sig_atomic_t signals;
static void count_signal(int signal) {
    (void)signal;
    signals = signals + 1;
}

/* As the collector's fine timers are made. -1: it is not permitted. */
static int open_event(long rate) {
    struct perf_event_attr attributes = {.type = PERF_TYPE_SOFTWARE,
                                         .size = sizeof attributes,
                                         .config = PERF_COUNT_SW_TASK_CLOCK,
                                         .sample_period = (unsigned long)(1000000000 / rate),
                                         .disabled = 1,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    const int file = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0L);
    const struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
    if (file >= 0) {
        fcntl(file, F_SETOWN_EX, &owner);
        fcntl(file, F_SETSIG, SIGPROF);
        fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK);
    }
    return file;
}

static double time_of_loops(void) {
    const double begin = seconds_of(CLOCK_MONOTONIC);
    volatile double sum = 0;
    for (long i = 0; i < 100000000; ++i) {
        sum = sum + (double)i;
    }
    return seconds_of(CLOCK_MONOTONIC) - begin;
}

static void signal_price(long rate) {
    const struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
    sigaction(SIGPROF, &action, NULL);
    const double without = time_of_loops();
    const int file = open_event(rate);
    if (file < 0) {
        return;
    }
    ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
    const double with = time_of_loops();
    close(file);
    printf("signal %.2f\n", 1e6 * (with - without) / (double)signals);
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
    } else if (strcmp(arguments[1], "signal") == 0) {
        signal_price((long)amount);
    } else {
        meet((long)amount);
    }
    printf("used %.4f elapsed %.4f\n", seconds_of(CLOCK_PROCESS_CPUTIME_ID),
           seconds_of(CLOCK_MONOTONIC) - begin);
    return 0;
}
