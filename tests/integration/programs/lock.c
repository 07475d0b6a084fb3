/* SPDX-License-Identifier: Apache-2.0
 *
 * lock - the master holds a lock until the worker is known to wait for it; then, after a barrier,
 * the worker sets it with nobody in the way. The address of the lock is in the label of a mark. The
 * same once more with a nestable lock, which the worker sets twice.
 */
#include "marks.h"
#include "omp_collector_api.h"
#include "workers_leave.h"
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

static omp_lock_t shared_lock;
static omp_nest_lock_t nest_lock;
static atomic_int held;

static void mark_address(const char *name, const void *lock) {
    char label[40];
    snprintf(label, sizeof label, "%s %p", name, lock);
    mark(label);
}

static void wait_for_lock(void) {
    while (atomic_load(&held) < 1) {
        ;
    }
    omp_set_lock(&shared_lock);
    mark("worker inside");
    omp_unset_lock(&shared_lock);
}

static void wait_for_nest_lock(void) {
    while (atomic_load(&held) < 2) {
        ;
    }
    omp_set_nest_lock(&nest_lock);
    omp_set_nest_lock(&nest_lock);
    mark("worker inside twice");
    omp_unset_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
}

int main(void) {
    omp_init_lock(&shared_lock);
    omp_init_nest_lock(&nest_lock);
    mark_address("lock", &shared_lock);
    mark_address("nest lock", &nest_lock);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&shared_lock);
            atomic_store(&held, 1);
            await_event(OMP_EVENT_THR_BEGIN_LKWT, 1);
            omp_unset_lock(&shared_lock);
        } else {
            wait_for_lock();
        }
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
            wait_for_lock();
        }
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            omp_set_nest_lock(&nest_lock);
            atomic_store(&held, 2);
            await_event(OMP_EVENT_THR_BEGIN_LKWT, 2);
            omp_unset_nest_lock(&nest_lock);
        } else {
            wait_for_nest_lock();
        }
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
            while (!omp_test_lock(&shared_lock)) {
                ;
            }
            mark("tested");
            omp_unset_lock(&shared_lock);
        }
    }
    let_workers_leave();
    omp_destroy_nest_lock(&nest_lock);
    omp_destroy_lock(&shared_lock);
    return 0;
}
