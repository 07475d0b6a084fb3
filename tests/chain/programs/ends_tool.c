/* SPDX-License-Identifier: Apache-2.0
 *
 * ends_tool - runs a region, tells the recorder to end its life as a tool, and computes on. The
 * recorder is preloaded, or named in OCB_TOOL_LIBRARIES and loaded by the bridge.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int recorder_ends(void) {
    const char *name = getenv("OCB_TOOL_LIBRARIES");
    void *recorder = name != NULL ? dlopen(name, RTLD_NOW | RTLD_NOLOAD) : RTLD_DEFAULT;
    int (*ends)(void) = NULL;
    *(void **)&ends = dlsym(recorder, "recorder_ends");
    return ends != NULL && ends();
}

static __attribute__((noinline)) int sum_of_team(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_num_threads();
    return sum;
}

int main(void) {
    const int before = sum_of_team();
    const int has_ended = recorder_ends();
    printf("%d %d %d\n", before, has_ended, sum_of_team());
    return 0;
}
