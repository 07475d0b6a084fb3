/* SPDX-License-Identifier: Apache-2.0
 *
 * A library with a parallel region, for programs that load one late.
 */
#include <omp.h>

void run_region(int milliseconds);
void run_region(int milliseconds) {
#pragma omp parallel num_threads(2)
    {
        const double end = omp_get_wtime() + milliseconds * 1e-3;
        while (omp_get_wtime() < end) {
        }
    }
}
