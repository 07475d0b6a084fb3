/* SPDX-License-Identifier: Apache-2.0
 *
 * Single constructs that the program itself has none of. First it forks regions of its own.
 *
 * singles plugin LIBRARY   so many, in a library that is opened then
 * singles unmarked         the same by functions that dlsym() finds, so through no slot (clang)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { kRegions = 4, kSinglesOfEach = 25 };

static double fork_own(void) {
    double sum = 0;
    for (int region = 0; region < kRegions; ++region) {
#pragma omp parallel for reduction(+ : sum) num_threads(2)
        for (int i = 0; i < 100; ++i) {
            sum += i;
        }
    }
    return sum;
}

static int run_plugin(const char *file) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    int (*run)(int) = NULL;
    int done = 0;
    if (library) {
        *(void **)&run = dlsym(library, "run_singles");
    }
    for (int region = 0; run && region < kRegions; ++region) {
        done += run(kSinglesOfEach);
    }
    return done;
}

/* What a compiler that generates code while the program runs does. */
typedef struct {
    int reserved, flags, more[2];
    const char *place;
} Location;
static Location location = {0, 2, {0, 0}, ";unknown;unknown;0;0;;"};
static int (*begin_single)(Location *, int);
static void (*end_single)(Location *, int);
static void (*meet)(Location *, int);
static int unmarked;

static void body(int *thread, int *bound) {
    (void)bound;
    for (int i = 0; i < kSinglesOfEach; ++i) {
        if (begin_single(&location, *thread)) {
            ++unmarked;
            end_single(&location, *thread);
        }
        meet(&location, *thread);
    }
}

static int run_unmarked(void) {
    void (*fork)(Location *, int, void (*)(int *, int *), ...) = NULL;
    *(void **)&fork = dlsym(RTLD_DEFAULT, "__kmpc_fork_call");
    *(void **)&begin_single = dlsym(RTLD_DEFAULT, "__kmpc_single");
    *(void **)&end_single = dlsym(RTLD_DEFAULT, "__kmpc_end_single");
    *(void **)&meet = dlsym(RTLD_DEFAULT, "__kmpc_barrier");
    for (int region = 0; fork && region < kRegions; ++region) {
        fork(&location, 0, body);
    }
    return unmarked;
}

int main(int count, char **arguments) {
    const double sum = fork_own();
    const int is_plugin = count == 3 && strcmp(arguments[1], "plugin") == 0;
    printf("sum %g, singles %d\n", sum, is_plugin ? run_plugin(arguments[2]) : run_unmarked());
    return 0;
}
