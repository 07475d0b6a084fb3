/* SPDX-License-Identifier: Apache-2.0
 *
 * single_master - a single construct, executed by whichever thread comes first, then a master
 * construct. In gcc's code the latter is a comparison that no runtime sees.
 */
#include "marks.h"
#include "workers_leave.h"

int main(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        mark("single");
#pragma omp master
        mark("master");
    }
    let_workers_leave();
    return 0;
}
