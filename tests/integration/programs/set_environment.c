/* SPDX-License-Identifier: Apache-2.0
 *
 * set_environment - asks for three threads by setenv in main, before its first use of OpenMP, and
 * prints the size of the team it gets.
 */
#include "marks.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    setenv("OMP_NUM_THREADS", "3", 1);
    mark("before");
#pragma omp parallel
    {
        mark("body");
        if (omp_get_thread_num() == 0) {
            printf("team of %d\n", omp_get_num_threads());
        }
    }
    return 0;
}
