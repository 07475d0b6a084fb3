/* SPDX-License-Identifier: Apache-2.0
 * For singles.c: as many single constructs as are asked for, in a region of two threads. */
int run_singles(int count);

int run_singles(int count) {
    int done = 0;
#pragma omp parallel num_threads(2)
    for (int i = 0; i < count; ++i) {
#pragma omp single
        ++done;
    }
    return done;
}
