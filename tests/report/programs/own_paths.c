/* SPDX-License-Identifier: Apache-2.0
 *
 * own_paths.c - a program that knows its own call paths: each function notes its name on a list
 * that lies on the stacks, a region's body goes on with the list of the thread that forked it. Time
 * is spent in spin() alone, which adds it to its path. At the end the paths are printed, one a
 * line: seconds, then the functions from main. "..." stands for functions of the C library.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FUNCTION   __attribute__((noinline))
#define MOST_PATHS 64
#define LONGEST    4096

struct name {
    const char *text;
    const struct name *up;
};

static __thread const struct name *volatile here; /* a handler looks at it */
static volatile double result;
static double share; /* seconds of one spin() */

static struct {
    char text[LONGEST];
    double seconds;
} paths[MOST_PATHS];
static int path_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* At the head and the foot of a function or of a region's body. The foot also keeps the last call
 * from being a jump. */
#define ENTER_FROM(words, from)                                                                    \
    const struct name *const before = here;                                                        \
    const struct name mine = {words, from};                                                        \
    here = &mine
#define ENTER(words) ENTER_FROM(words, here)
#define LEAVE                                                                                      \
    result = result + 1;                                                                           \
    here = before

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void write_path(const struct name *at, char *text) {
    if (at->up) {
        write_path(at->up, text);
        strcat(text, ";");
    }
    strcat(text, at->text);
}

static void add_path(double seconds) {
    char text[LONGEST] = "";
    write_path(here, text);
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < path_count && strcmp(paths[i].text, text) != 0) {
        ++i;
    }
    if (i == path_count && i < MOST_PATHS) {
        strcpy(paths[path_count++].text, text);
    }
    paths[i].seconds += seconds;
    pthread_mutex_unlock(&lock);
}

FUNCTION static void spin(double seconds) {
    ENTER("spin");
    const double begin = now();
    while (now() < begin + seconds) {
        for (int i = 0; i < 5000; ++i) {
            result = result + i;
        }
    }
    add_path(now() - begin);
    LEAVE;
}

FUNCTION static void left(void) {
    ENTER("left");
    spin(share);
    LEAVE;
}

FUNCTION static void right(void) {
    ENTER("right");
    spin(share);
    LEAVE;
}

FUNCTION static void inner(void) {
    ENTER("inner");
    const struct name *const forked = here;
#pragma omp parallel num_threads(2)
    {
        ENTER_FROM("inner [region]", forked);
        left();
        LEAVE;
    }
    LEAVE;
}

FUNCTION static void nested(void) {
    ENTER("nested");
    const struct name *const forked = here;
#pragma omp parallel num_threads(2)
    {
        ENTER_FROM("nested [region]", forked);
        inner();
        right();
        LEAVE;
    }
    LEAVE;
}

FUNCTION static void serialized(void) {
    ENTER("serialized");
    const struct name *const forked = here;
#pragma omp parallel if (0)
    {
        ENTER_FROM("serialized [region]", forked);
        right();
        inner();
        LEAVE;
    }
    LEAVE;
}

FUNCTION static void recursive(int depth) {
    ENTER("recursive");
    if (depth > 0) {
        recursive(depth - 1);
    } else {
        left();
    }
    LEAVE;
}

/* A region inside of itself: each level is serialized or a team of one. */
FUNCTION static void region_in_itself(int depth) {
    ENTER("region_in_itself");
    const struct name *const forked = here;
#pragma omp parallel num_threads(1)
    {
        ENTER_FROM("region_in_itself [region]", forked);
        if (depth > 0) {
            region_in_itself(depth - 1);
        } else {
            recursive(20);
        }
        LEAVE;
    }
    LEAVE;
}

/* The frame is aligned, and of a size that is not known: where its caller is stands in the frame.
 */
FUNCTION static void aligned(long a, long b, long c, long d, long e, long f, long g, long h) {
    ENTER("aligned");
    __attribute__((aligned(64))) volatile long space[8] = {a, b, c, d, e, f, g, h};
    volatile char *more = __builtin_alloca((size_t)space[6]);
    more[0] = 0;
    const struct name *const forked = here;
#pragma omp parallel num_threads(2)
    {
        ENTER_FROM("aligned [region]", forked);
        spin(share / 2 + (double)space[7]);
        LEAVE;
    }
    LEAVE;
}

FUNCTION static void one_way(void) {
    ENTER("one_way");
    aligned(1, 2, 3, 4, 5, 6, 7, 0);
    LEAVE;
}

FUNCTION static void other_way(void) {
    ENTER("other_way");
    aligned(1, 2, 3, 4, 5, 6, 7, 0);
    LEAVE;
}

FUNCTION static void work_of_task(const struct name *region) {
    ENTER_FROM("work_of_task", region);
    right();
    LEAVE;
}

FUNCTION static void tasks(void) {
    ENTER("tasks");
    const struct name *const forked = here;
#pragma omp parallel num_threads(2)
    {
        const struct name mine = {"tasks [region]", forked};
#pragma omp single
        for (int i = 0; i < 4; ++i) {
#pragma omp task shared(mine)
            work_of_task(&mine);
        }
    }
    LEAVE;
}

static int compare(const void *a, const void *b) {
    static const struct name library = {"...", NULL};
    const struct name *const before = here;
    struct name caller = {"serial_part", before->up};
    struct name below = library;
    below.up = &caller;
    const struct name mine = {"compare", &below};
    here = &mine;
    spin(share / 10);
    here = before;
    return *(const int *)a - *(const int *)b;
}

FUNCTION static void serial_part(void) {
    ENTER("serial_part");
    int numbers[8] = {5, 2, 7, 1, 8, 3, 6, 4};
    qsort(numbers, 8, sizeof numbers[0], compare);
    left();
    LEAVE;
}

static void on_signal(int signal) {
    (void)signal;
    static const struct name library = {"...", NULL};
    struct name below = library;
    below.up = here;
    const struct name mine = {"on_signal", &below};
    const struct name *const before = here;
    here = &mine;
    spin(share);
    here = before;
}

/* A handler on a stack of its own, inside of a region. */
FUNCTION static void handler(void) {
    ENTER("handler");
    const struct name *const forked = here;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
#pragma omp parallel num_threads(2)
    {
        ENTER_FROM("handler [region]", forked);
        const stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
        sigaltstack(&stack, NULL);
        pthread_kill(pthread_self(), SIGUSR1);
        LEAVE;
    }
    LEAVE;
}

static void *foreign(void *unused) {
    here = NULL;
    ENTER("foreign");
    inner();
    right();
    LEAVE;
    return unused;
}

int main(int argc, char **argv) {
    share = argc > 1 ? atof(argv[1]) : 0.2;
    ENTER("main");
    omp_set_max_active_levels(3);
    nested();
    serialized();
    region_in_itself(2);
    /* From one place: nothing but the aligned frame's return address tells them apart. */
    static void (*const volatile ways[])(void) = {one_way, other_way, one_way, other_way};
    for (int i = 0; i < 4; ++i) {
        ways[i]();
    }
    tasks();
    handler();
    pthread_t thread;
    pthread_create(&thread, NULL, foreign, NULL);
    pthread_join(thread, NULL);
    serial_part();
    LEAVE;
    for (int i = 0; i < path_count; ++i) {
        printf("%.3f %s\n", paths[i].seconds, paths[i].text);
    }
    return 0;
}
