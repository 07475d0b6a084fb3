/* SPDX-License-Identifier: Apache-2.0
 *
 * critical - the master holds a critical region until the worker is known to wait for it; then,
 * after a barrier, the worker enters it with nobody in the way.
 */
#include "marks.h"
#include "omp_collector_api.h"
#include "workers_leave.h"
#include <omp.h>
#include <stdatomic.h>

static atomic_int held;

static void wait_for_it(void) {
    while (!atomic_load(&held)) {
        ;
    }
#pragma omp critical(contended)
    mark("worker inside");
}

int main(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp critical(contended)
            {
                atomic_store(&held, 1);
                await_event(OMP_EVENT_THR_BEGIN_CTWT, 1);
                mark("master inside");
            }
        } else {
            wait_for_it();
        }
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
            wait_for_it();
        }
    }
    let_workers_leave();
    return 0;
}
