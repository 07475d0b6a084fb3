/* SPDX-License-Identifier: Apache-2.0
 * plugin - a library with OpenMP, opened by programs that have none. */
#include <omp.h>

int plugin_run(int threads, int regions) {
    int members = 0;
    omp_set_num_threads(threads);
    for (int i = 0; i < regions; ++i) {
#pragma omp parallel
        {
            int value;
#pragma omp single copyprivate(value)
            value = 1;
#pragma omp atomic
            members += value;
        }
    }
    return members;
}
