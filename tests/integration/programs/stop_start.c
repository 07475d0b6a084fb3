/* SPDX-License-Identifier: Apache-2.0
 *
 * stop_start - three regions: STOP by the master in the middle of the first, START again by the
 * master in the middle of the second, the third as usual.
 */
#include "marks.h"
#include "omp_collector_api.h"
#include "workers_leave.h"
#include <omp.h>

static int events_before;
static int events_after;

/* Both threads are in user code before, and stay there until it is done. */
static void by_master(void (*action)(void), int count) {
    meet(&events_before, count);
    if (omp_get_thread_num() == 0) {
        action();
    }
    meet(&events_after, count);
}

static void stop_session(void) {
    request(OMP_REQ_STOP);
}

int main(void) {
#pragma omp parallel num_threads(2)
    {
        mark("first");
        by_master(stop_session, 2);
    }
    mark("stopped");
#pragma omp parallel num_threads(2)
    {
        mark("second");
        by_master(start_session, 4);
    }
    mark("started");
#pragma omp parallel num_threads(2)
    mark("third");
    mark("after");
    let_workers_leave();
    return 0;
}
