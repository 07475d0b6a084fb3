/* SPDX-License-Identifier: Apache-2.0
 *
 * barriers - an explicit barrier, then the implicit one at the end of a loop.
 */
#include "marks.h"
#include "workers_leave.h"

int main(void) {
#pragma omp parallel num_threads(2)
    {
        mark("before barrier");
#pragma omp barrier
        mark("before loop");
#pragma omp for schedule(static)
        for (int i = 0; i < 2; ++i) {
            mark("iteration");
        }
        mark("after loop");
    }
    let_workers_leave();
    return 0;
}
