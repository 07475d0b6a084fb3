/* SPDX-License-Identifier: Apache-2.0
 *
 * two_regions - serial code, a region, serial code, a region, serial code. Prints the size of the
 * teams, so that a run without any collector has an output to compare.
 */
#include "marks.h"
#include "workers_leave.h"
#include <omp.h>
#include <stdio.h>

static void region(void) {
#pragma omp parallel num_threads(2)
    {
        mark("body");
        if (omp_get_thread_num() == 1) {
            printf("team of %d\n", omp_get_num_threads());
        }
    }
}

int main(void) {
    mark("before");
    region();
    mark("between");
    region();
    mark("after");
    let_workers_leave();
    return 0;
}
