/* SPDX-License-Identifier: Apache-2.0
 *
 * nested - a region of two threads, of which the worker alone meets a second region of two threads.
 * Whether that one gets its second thread is up to OMP_MAX_ACTIVE_LEVELS.
 */
#include "marks.h"
#include "workers_leave.h"
#include <omp.h>

int main(void) {
#pragma omp parallel num_threads(2)
    {
        mark("outer");
        if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2)
            {
                if (omp_get_thread_num() == 0) {
                    mark("inner master");
                } else {
                    mark("inner worker");
                }
            }
            mark("outer again");
        }
    }
    mark("after");
    let_workers_leave();
    return 0;
}
