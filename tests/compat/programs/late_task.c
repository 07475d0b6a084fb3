/* SPDX-License-Identifier: Apache-2.0
 *
 * late_task: two threads execute a task each in their barrier. One is six times as long.
 */
#include "work.h"

int main(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
        for (int i = 0; i < 2; ++i) {
#pragma omp task firstprivate(i)
            work(i == 0 ? 1500 : 250);
        }
    }
    return 0;
}
