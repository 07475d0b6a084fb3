/* SPDX-License-Identifier: Apache-2.0
 *
 * start_in_thread - a thread that has nothing to do with OpenMP begins the session; the initial
 * thread forks a region.
 */
#include "marks.h"
#include <pthread.h>

static void *starter(void *unused) {
    start_session();
    return unused;
}

int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, starter, NULL) != 0 || pthread_join(thread, NULL) != 0) {
        return 1;
    }
#pragma omp parallel num_threads(2)
    mark("body");
    return 0;
}
