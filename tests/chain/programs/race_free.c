/* SPDX-License-Identifier: Apache-2.0
 * Free of races by OpenMP's own synchronisation, which the thread sanitizer learns from libarcher
 * alone; with an argument, a race that it must find.
 */
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int shared = 0;
    (void)argv;
    for (int round = 0; round < 20; ++round) {
#pragma omp parallel num_threads(2)
        {
            if (omp_get_thread_num() == 0) {
                shared += 1;
            }
#pragma omp barrier
            if (omp_get_thread_num() == 1) {
                shared += 1;
            }
#pragma omp barrier
            if (argc > 1) {
                shared += omp_get_thread_num() + 1;
            }
#pragma omp critical
            shared += 1;
        }
        shared += 1;
    }
    printf("%s\n", shared > 0 ? "done" : "?");
    return 0;
}
