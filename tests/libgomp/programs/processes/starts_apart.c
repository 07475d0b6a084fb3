/* SPDX-License-Identifier: Apache-2.0
 *
 * starts_apart MODE PLUGIN: a thread's first region starts the OMPT tool, which is this program,
 * and the tool opens a library. Meanwhile the initial thread opens another one, whose constructor
 *   region  forks a region
 *   start   calls libgomp_ompt_initialize and prints what it returns
 * Each needs what the other holds. Built with -DPLUGIN it is that library.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef PLUGIN

extern atomic_int tool_starts, library_opens;
extern const char *mode;

__attribute__((constructor)) static void open_library(void) {
    atomic_store(&library_opens, 1);
    if (strcmp(mode, "start") == 0) {
        int (*initialise)(void) = NULL;
        *(void **)&initialise = dlsym(RTLD_DEFAULT, "libgomp_ompt_initialize");
        printf("initialise %d\n", initialise ? initialise() : -2);
        return;
    }
    int members = 0;
#pragma omp parallel num_threads(2)
#pragma omp atomic
    ++members;
    printf("members %d\n", members);
}

#else

atomic_int tool_starts, library_opens;
const char *mode = "";

static int initialise(void *lookup, int device, uint64_t *data) {
    (void)lookup, (void)device, (void)data;
    return 1;
}

static void finalise(uint64_t *data) {
    (void)data;
}

typedef struct {
    int (*initialise)(void *lookup, int device, uint64_t *data);
    void (*finalise)(uint64_t *data);
    uint64_t data;
} StartToolResult;

StartToolResult *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
    static StartToolResult result = {initialise, finalise, 0};
    (void)omp_version, (void)runtime_version;
    atomic_store(&tool_starts, 1);
    while (!atomic_load(&library_opens)) {
        sched_yield();
    }
    dlopen("libm.so.6", RTLD_NOW);
    return &result;
}

static void *run_region(void *unused) {
    int members = 0;
#pragma omp parallel num_threads(2)
#pragma omp atomic
    ++members;
    printf("first %d\n", members);
    return unused;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        return 2;
    }
    mode = argv[1];
    setbuf(stdout, NULL);
    pthread_t first;
    pthread_create(&first, NULL, run_region, NULL);
    while (!atomic_load(&tool_starts)) {
        sched_yield();
    }
    if (!dlopen(argv[2], RTLD_NOW)) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    pthread_join(first, NULL);
    run_region(NULL);
    return 0;
}

#endif
