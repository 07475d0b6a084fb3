/* SPDX-License-Identifier: Apache-2.0
 *
 * late_threads worker|bystander: two regions of two threads, which sleep for 0.6 s in each.
 *   worker     the runtime's second thread gets to its first event only after 0.3 s
 *   bystander  beside it a thread without OpenMP sleeps to the end
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int are_workers_late;

struct Start {
    void *(*routine)(void *);
    void *argument;
};

static void sleep_ms(long ms) {
    struct timespec rest = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&rest, &rest) != 0) {
    }
}

static void *start_late(void *data) {
    const struct Start start = *(struct Start *)data;
    free(data);
    sleep_ms(300);
    return start.routine(start.argument);
}

/* Before libc's, for the program's libraries too. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
                   void *argument) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NULL;
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    Dl_info where;
    void *code = NULL;
    memcpy(&code, &routine, sizeof code);
    if (!are_workers_late || !dladdr(code, &where) || !where.dli_fname ||
        (!strstr(where.dli_fname, "libgomp.so") && !strstr(where.dli_fname, "libomp.so"))) {
        return create(thread, attributes, routine, argument);
    }
    struct Start *start = malloc(sizeof *start);
    start->routine = routine;
    start->argument = argument;
    printf("late\n");
    return create(thread, attributes, start_late, start);
}

static void *sleep_on(void *unused) {
    sleep_ms(60000);
    return unused;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        return 2;
    }
    are_workers_late = strcmp(argv[1], "worker") == 0;
    pthread_t bystander;
    if (strcmp(argv[1], "bystander") == 0) {
        pthread_create(&bystander, NULL, sleep_on, NULL);
    }
    for (int round = 0; round < 2; ++round) {
#pragma omp parallel num_threads(2)
        sleep_ms(600);
    }
    return 0;
}
