/* SPDX-License-Identifier: Apache-2.0
 *
 * standstill stopped|ahead|back: two threads work in a region. Meanwhile a child stops the whole
 * process for a while, or the monotonic clock jumps for all who ask libc. Prints by how many
 * seconds. The collector asks libc itself, whoever stands before it, and does not find it here: so
 * this clock is the system's.
 */
#define _GNU_SOURCE
#include "work.h"

#include <dlfcn.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
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

static void stop_and_continue(pid_t process) {
    usleep(300000);
    kill(process, SIGSTOP);
    const double begin = now();
    usleep((unsigned)(kJump * 1e6));
    printf("%.3f\n", now() - begin);
    fflush(stdout);
    kill(process, SIGCONT);
    _exit(0);
}

int main(int count, char **arguments) {
    const char *what = count == 2 ? arguments[1] : "";
    pid_t child = 0;
    if (strcmp(what, "stopped") == 0) {
        const pid_t own = getpid();
        child = fork();
        if (child == 0) {
            stop_and_continue(own);
        }
    } else {
        printf("%.3f\n", kJump);
    }
    const double jump = strcmp(what, "ahead") == 0 ? kJump : strcmp(what, "back") == 0 ? -kJump : 0;
#pragma omp parallel num_threads(2)
    {
        work(400);
#pragma omp barrier
#pragma omp master
        jumped = jump;
#pragma omp barrier
        work(400);
    }
    return child == 0 || waitpid(child, 0, 0) == child ? 0 : 1;
}
