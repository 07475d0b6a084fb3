/* SPDX-License-Identifier: Apache-2.0
 * Barriers whose ids are not a matter of counting: a region that one thread cancels while the other
 * waits in a barrier, and a reduction whose combiner takes a lock. */
#include "../truth.h"
#include "workers_leave.h"

static omp_lock_t lock;
static atomic_int is_waiting;

static void cancel_region(int tasks) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            while (!atomic_load(&is_waiting)) {
                stay(0.01);
            }
            stay(0.5);
            for (int i = 0; i < tasks; ++i) {
#pragma omp task
                stay(0.1);
            }
#pragma omp cancel parallel
        }
        atomic_store(&is_waiting, 1);
#pragma omp barrier
    }
}

static void combine(int *into, const int *from) {
    omp_set_lock(&lock);
    *into += *from;
    omp_unset_lock(&lock);
}

#pragma omp declare reduction(add:int : combine(&omp_out, &omp_in)) initializer(omp_priv = 0)

static int reduce(void) {
    int total = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for reduction(add : total)
        for (int i = 0; i < 2; ++i) {
            total += 1;
        }
    }
    return total;
}

int main(int argc, char **argv) {
    omp_init_lock(&lock);
    const char *kind = argc > 1 ? argv[1] : "";
    if (strcmp(kind, "cancel") == 0) {
        cancel_region(0);
    } else if (strcmp(kind, "cancel_tasks") == 0) {
        cancel_region(3);
    } else if (reduce() != 2) {
        return 1;
    }
    let_workers_leave();
    return 0;
}
