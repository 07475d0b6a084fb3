/* SPDX-License-Identifier: Apache-2.0
 *
 * start_between - a session that is started in serial code between two regions, when the worker of
 * the second exists already.
 */
#include "marks.h"
#include "workers_leave.h"

static void region(const char *label) {
#pragma omp parallel num_threads(2)
    mark(label);
}

int main(void) {
    region("first");
    let_workers_leave(); /* the worker is to be idle then */
    start_session();
    region("second");
    let_workers_leave();
    return 0;
}
