/* SPDX-License-Identifier: Apache-2.0
 * threads_again - threads of the program's own, one after the other, each with a region: a later
 * one may get what an earlier one has left. */
#include <omp.h>
#include <pthread.h>

static void *run_region(void *sum) {
#pragma omp parallel num_threads(2)
#pragma omp atomic
    ++*(long *)sum;
    return 0;
}

int main(void) {
    enum { kThreads = 5 };
    long sum = 0;
    for (int i = 0; i < kThreads; ++i) {
        pthread_t thread;
        if (pthread_create(&thread, 0, run_region, &sum) != 0) {
            return 1;
        }
        pthread_join(thread, 0);
    }
    return sum != 2 * kThreads;
}
