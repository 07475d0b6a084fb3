/* SPDX-License-Identifier: Apache-2.0
 *
 * remembered WHAT: a program in which what was true of a stack or a process is true no longer.
 *   forks      a child of fork() in a region, whose parent has met other code before
 *   jumps      two ways to one fork, on one place of the stack, each left by longjmp
 *   outlasts   a region of two threads goes on behind many that its master forks inside of it
 */
#include <errno.h>
#include <omp.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int steps;

/* Not the last that its caller does, so that the caller stays on the stack. */
#define REGION_IN(name)                                                                            \
    static __attribute__((noinline)) void name(void) {                                             \
        _Pragma("omp parallel num_threads(1)") steps += 1;                                         \
        errno = 0;                                                                                 \
    }
REGION_IN(before_one)
REGION_IN(before_two)
REGION_IN(before_three)
REGION_IN(in_both)

static __attribute__((noinline)) void forks(void) {
#pragma omp parallel num_threads(1)
    {
        const pid_t child = fork();
        in_both();
        if (child == 0) {
            exit(0); /* libomp ends a child that leaves the region */
        }
        waitpid(child, NULL, 0);
    }
    errno = 0;
}

static jmp_buf back;

static __attribute__((noinline)) void fork_and_jump(void) {
#pragma omp parallel num_threads(1)
    steps += 1;
    printf("%p\n", __builtin_frame_address(0));
    longjmp(back, 1);
}
static __attribute__((noinline)) void by_one_way(void) {
    steps += 2;
    fork_and_jump();
    errno = 0;
}
static __attribute__((noinline)) void by_another_way(void) {
    steps += 3;
    fork_and_jump();
    errno = 0;
}

static void jumps(void) {
    for (volatile int round = 0; round < 16; ++round) {
        if (setjmp(back) == 0) {
            (round / 4 % 2 == 0 ? by_one_way : by_another_way)();
        }
    }
}

/* The threads' time is behind those regions. */
static void outlasts(void) {
    enum { inner_regions = 300 }; /* more than are remembered once they have ended */
    static volatile int is_over;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            for (int i = 0; i < inner_regions; ++i) {
                in_both();
            }
            const double end = omp_get_wtime() + 0.4;
            while (omp_get_wtime() < end) {
            }
            is_over = 1;
        }
        while (is_over == 0) {
        }
    }
    errno = 0;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    omp_set_max_active_levels(2);
    if (strcmp(what, "forks") == 0) {
        before_one();
        before_two();
        before_three();
        forks();
    } else if (strcmp(what, "jumps") == 0) {
        jumps();
    } else if (strcmp(what, "outlasts") == 0) {
        outlasts();
    }
    return 0;
}
