/* SPDX-License-Identifier: Apache-2.0
 *
 * pause - PAUSE by the master in the middle of a region, RESUME in the middle of the next one, then
 * a region as usual. The worker waits in user code meanwhile, so that every event lies clearly on
 * one side.
 */
#include "marks.h"
#include "omp_collector_api.h"
#include "workers_leave.h"
#include <omp.h>

static int events_before;
static int events_after;

/* Both threads are in user code before, and stay there until it is done. */
static void request_by_master(int number, int count) {
    meet(&events_before, count);
    if (omp_get_thread_num() == 0) {
        request(number);
    }
    meet(&events_after, count);
}

int main(void) {
#pragma omp parallel num_threads(2)
    {
        mark("first");
        request_by_master(OMP_REQ_PAUSE, 2);
    }
    mark("paused");
#pragma omp parallel num_threads(2)
    {
        mark("second");
        request_by_master(OMP_REQ_RESUME, 4);
    }
    mark("resumed");
#pragma omp parallel num_threads(2)
    mark("third");
    mark("after");
    let_workers_leave();
    return 0;
}
