/* SPDX-License-Identifier: Apache-2.0
 *
 * standstill WHAT: two threads work in a region. Meanwhile, by WHAT:
 *   stopped  a child stops the whole process for a while
 *   frozen   the same by a control group, which ends with 77 where it cannot make one
 *   frozen-1 the same by one of the first version, which leaves sleeping threads as they are
 *   ahead    the monotonic clock jumps for all who ask libc; back: it is set back
 *   asleep   both threads sleep
 *   starved  the same, and all threads of the process, the collector's too, are the last to get one
 *            processor, on a shared machine
 * Prints by how many seconds; starved: how long the collector's thread has waited. The collector
 * asks libc itself, whoever stands before it, and does not find it here: so this clock is the
 * system's.
 */
#define _GNU_SOURCE
#include "work.h"

#include <dirent.h>
#include <dlfcn.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double kJump = 2; /* seconds */
static volatile double jumped;

/* In the place of libc's. */
int clock_gettime(clockid_t clock, struct timespec *time) {
    const long result = syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && clock == CLOCK_MONOTONIC) {
        time->tv_sec += (time_t)jumped;
    }
    return (int)result;
}

void *dlopen(const char *name, int flags) {
    void *next = dlsym(RTLD_NEXT, "dlopen");
    void *(*open_next)(const char *, int) = NULL;
    memcpy(&open_next, &next, sizeof next);
    return name && strcmp(name, "libc.so.6") == 0 ? NULL : open_next(name, flags);
}

static int write_line(const char *folder, const char *name, const char *line) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    return file && fputs(line, file) >= 0 && fclose(file) == 0;
}

static void sleep_for(double seconds) {
    const double end = now() + seconds;
    while (now() < end) {
        usleep((unsigned)((end - now()) * 1e6) + 1);
    }
}

static void stop_and_continue(pid_t process) {
    usleep(300000);
    kill(process, SIGSTOP);
    const double begin = now();
    sleep_for(kJump);
    printf("%.3f\n", now() - begin);
    fflush(stdout);
    kill(process, SIGCONT);
    _exit(0);
}

struct Freezer {
    int version;
    const char *base;
    const char *file;
    const char *frozen;
    const char *thawed;
};
static const struct Freezer freezers[] = {
    {1, "/sys/fs/cgroup/freezer", "freezer.state", "FROZEN", "THAWED"},
    {2, "/sys/fs/cgroup/unified", "cgroup.freeze", "1", "0"},
    {2, "/sys/fs/cgroup", "cgroup.freeze", "1", "0"},
};

static void freeze_and_thaw(pid_t process, int version) {
    char folder[128];
    char text[32];
    snprintf(text, sizeof text, "%d", process);
    usleep(300000);
    for (size_t i = 0; i < sizeof freezers / sizeof *freezers; ++i) {
        const struct Freezer *with = &freezers[i];
        snprintf(folder, sizeof folder, "%s/standstill-%d", with->base, process);
        if (with->version != version || mkdir(folder, 0755) != 0) {
            continue;
        }
        if (write_line(folder, "cgroup.procs", text) &&
            write_line(folder, with->file, with->frozen)) {
            const double begin = now();
            sleep_for(kJump);
            printf("%.3f\n", now() - begin);
            fflush(stdout);
            write_line(folder, with->file, with->thawed);
            write_line(with->base, "cgroup.procs", text);
            for (int tries = 0; tries < 100 && rmdir(folder) != 0; ++tries) {
                usleep(10000);
            }
            _exit(0);
        }
        rmdir(folder);
    }
    _exit(77);
}

static void spin(double seconds) {
    const double end = now() + seconds;
    while (now() < end) {
    }
    _exit(0);
}

/* Of the thread of this name, in seconds; 0: there is none. */
static double waited(const char *name) {
    double nanoseconds = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task = readdir(tasks); task; task = readdir(tasks)) {
        char path[300];
        char own[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        const int is_named = file && fscanf(file, "%31s", own) == 1 && strcmp(own, name) == 0;
        if (file) {
            fclose(file);
        }
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
        file = is_named ? fopen(path, "r") : NULL;
        if (file) {
            if (fscanf(file, "%*s %lf", &nanoseconds) != 1) {
                nanoseconds = 0;
            }
            fclose(file);
        }
    }
    closedir(tasks);
    return nanoseconds * 1e-9;
}

/* Children have the processor as well, and before us. */
static void be_the_last(void) {
    cpu_set_t allowed;
    cpu_set_t one;
    sched_getaffinity(0, sizeof allowed, &allowed);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
        if (CPU_ISSET(cpu, &allowed)) {
            CPU_SET(cpu, &one);
        }
    }
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task = readdir(tasks); task; task = readdir(tasks)) {
        const int tid = atoi(task->d_name);
        if (tid > 0) {
            sched_setaffinity(tid, sizeof one, &one);
        }
    }
    for (int i = 0; i < 2; ++i) {
        if (fork() == 0) {
            spin(kJump);
        }
    }
    rewinddir(tasks);
    for (struct dirent *task = readdir(tasks); task; task = readdir(tasks)) {
        const int tid = atoi(task->d_name);
        if (tid > 0) {
            setpriority(PRIO_PROCESS, (id_t)tid, 19);
        }
    }
    closedir(tasks);
}

int main(int count, char **arguments) {
    const char *what = count == 2 ? arguments[1] : "";
    const int is_starved = strcmp(what, "starved") == 0;
    const int sleeps = is_starved || strcmp(what, "asleep") == 0;
    const int is_frozen = strcmp(what, "frozen") == 0 || strcmp(what, "frozen-1") == 0;
    pid_t child = 0;
    if (is_frozen || strcmp(what, "stopped") == 0) {
        const pid_t own = getpid();
        child = fork();
        if (child == 0) {
            if (is_frozen) {
                freeze_and_thaw(own, strcmp(what, "frozen") == 0 ? 2 : 1);
            }
            stop_and_continue(own);
        }
    } else if (!is_starved) {
        printf("%.3f\n", kJump);
    }
    const double jump = strcmp(what, "ahead") == 0 ? kJump : strcmp(what, "back") == 0 ? -kJump : 0;
    const double waited_before = waited("ompcollect");
#pragma omp parallel num_threads(2)
    {
        work(sleeps ? 10 : 400);
#pragma omp barrier
#pragma omp master
        {
            jumped = jump;
            if (is_starved) {
                be_the_last();
            }
        }
#pragma omp barrier
        if (sleeps) {
            sleep_for(kJump);
        }
        work(sleeps ? 10 : 400);
    }
    if (is_starved) {
        printf("%.3f\n", waited("ompcollect") - waited_before);
    }
    int result = 0;
    for (int status; wait(&status) > 0;) {
        result = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    }
    return result;
}
