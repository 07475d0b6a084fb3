/* SPDX-License-Identifier: Apache-2.0
 *
 * start_inside [master|worker] - a session that is started in the middle of a region, by the
 * thread of the team that the argument names, while the other one waits in user code. A second
 * region follows.
 */
#include "marks.h"
#include "workers_leave.h"
#include <omp.h>
#include <string.h>

static int arrived;
static int has_started;

int main(int argc, char **argv) {
    const int starter = argc > 1 && strcmp(argv[1], "worker") == 0 ? 1 : 0;
#pragma omp parallel num_threads(2)
    {
        meet(&arrived, 2);
        if (omp_get_thread_num() == starter) {
            start_session();
        }
        meet(&has_started, 2);
        mark("first");
    }
    mark("between");
#pragma omp parallel num_threads(2)
    mark("second");
    mark("after");
    let_workers_leave();
    return 0;
}
