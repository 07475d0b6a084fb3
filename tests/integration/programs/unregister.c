/* SPDX-License-Identifier: Apache-2.0
 *
 * unregister - three regions; the events of the implicit barrier and JOIN are cancelled before the
 * second, and asked for again before the third. Nobody is in a barrier at those points but the idle
 * worker, whose barrier events have been delivered.
 */
#include "marks.h"
#include "omp_collector_api.h"
#include "workers_leave.h"

static void region(const char *label) {
#pragma omp parallel num_threads(2)
    mark(label);
}

static void change(int (*request_event)(int)) {
    if (!request_event) {
        return;
    }
    request_event(OMP_EVENT_JOIN);
    request_event(OMP_EVENT_THR_BEGIN_IBAR);
    request_event(OMP_EVENT_THR_END_IBAR);
}

int main(void) {
    region("first");
    await_event(OMP_EVENT_THR_BEGIN_IDLE, 2);
    change(ocb_test_unregister);
    region("second");
    await_event(OMP_EVENT_THR_BEGIN_IDLE, 3);
    change(ocb_test_register);
    region("third");
    let_workers_leave();
    return 0;
}
