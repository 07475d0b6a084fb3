/* SPDX-License-Identifier: Apache-2.0
 *
 * lives THREADS BARRIERS [MS]: so many threads begin and end, one after the other. Each one enters
 * a region of two threads, which work for MS milliseconds and come to two barriers; those of the
 * last one come to BARRIERS.
 */
#include "work.h"

#include <pthread.h>
#include <stdlib.h>

static double milliseconds;

static void *live(void *data) {
    const int barriers = *(int *)data;
#pragma omp parallel num_threads(2)
    {
        work(milliseconds);
        for (int i = 1; i < barriers; ++i) { /* the last one is the region's own */
#pragma omp barrier
        }
    }
    return 0;
}

int main(int count, char **arguments) {
    if (count < 3) {
        return 2;
    }
    const int threads = atoi(arguments[1]);
    milliseconds = count > 3 ? atof(arguments[3]) : 0;
    for (int i = 1; i <= threads; ++i) {
        int barriers = i == threads ? atoi(arguments[2]) : 2;
        pthread_t thread;
        if (pthread_create(&thread, 0, live, &barriers) != 0) {
            return 3;
        }
        pthread_join(thread, 0);
    }
    return 0;
}
