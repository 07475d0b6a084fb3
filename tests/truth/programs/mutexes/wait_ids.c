/* SPDX-License-Identifier: Apache-2.0
 * Prints the addresses of its locks, then has each waited for, and several barriers in a row in two
 * teams one after the other: beyond_test.cpp compares the wait ids. */
#include "../truth.h"

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static atomic_int is_held;

static void wait_for_held(int value) {
    while (atomic_load(&is_held) != value) {
        stay(0.01);
    }
}

int main(void) {
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    printf("lock %llu\nnest %llu\n", (unsigned long long)(size_t)&lock,
           (unsigned long long)(size_t)&nest_lock);
    for (int team = 2; team <= 3; ++team) {
#pragma omp parallel num_threads(team)
        {
#pragma omp barrier
            stay(0.1);
#pragma omp barrier
#pragma omp for schedule(static)
            for (int i = 0; i < 3; ++i) {
                stay(0.05);
            }
#pragma omp single
            stay(0.1);
        }
    }
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&lock);
            atomic_store(&is_held, 1);
            stay(1);
            omp_unset_lock(&lock);
            wait_for_held(2);
            omp_set_nest_lock(&nest_lock);
            atomic_store(&is_held, 3);
            stay(1);
            omp_unset_nest_lock(&nest_lock);
        } else {
            wait_for_held(1);
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
            atomic_store(&is_held, 2);
            wait_for_held(3);
            omp_set_nest_lock(&nest_lock);
            omp_unset_nest_lock(&nest_lock);
        }
    }
    return 0;
}
