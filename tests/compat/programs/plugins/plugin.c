/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin with a parallel region.
 */
#include <omp.h>

__attribute__((visibility("default"))) void work(void) {
    const double end = omp_get_wtime() + 0.1;
#pragma omp parallel num_threads(2)
    while (omp_get_wtime() < end) {
    }
}
