/* SPDX-License-Identifier: Apache-2.0
 * plugin - a library with OpenMP: a region in its constructor, and those of run_plugin. The last
 * call of run_plugin is one that gcc makes a jump. */
#include <omp.h>

static int begun;
static omp_lock_t lock;

static void one_region(int *members) {
#pragma omp parallel num_threads(2)
    {
        omp_set_lock(&lock);
        ++*members;
        omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp critical
        ++*members;
#pragma omp taskwait
    }
}

__attribute__((constructor)) static void begin(void) {
    omp_init_lock(&lock);
    one_region(&begun);
}

__attribute__((noinline)) static void wait_for_tasks(void) {
#pragma omp taskwait
}

int run_plugin(void) {
    int members = begun;
    one_region(&members);
    wait_for_tasks();
    return members;
}
