/* SPDX-License-Identifier: Apache-2.0
 *
 * serialized - regions that get one thread only: if(0), num_threads(1), and one inside the other.
 */
#include "marks.h"
#include "workers_leave.h"

int main(void) {
#pragma omp parallel if (0)
    mark("if(0)");
    mark("between");
#pragma omp parallel num_threads(1)
    mark("num_threads(1)");
    mark("between");
#pragma omp parallel if (0)
    {
        mark("outer");
#pragma omp parallel if (0)
        mark("inner");
        mark("outer again");
    }
    mark("after");
    let_workers_leave();
    return 0;
}
