/* SPDX-License-Identifier: Apache-2.0
 *
 * no_openmp - a program that has nothing to do with OpenMP, with one thread besides its own.
 */
#include "marks.h"
#include <pthread.h>

static void *run(void *unused) {
    mark("thread");
    return unused;
}

int main(void) {
    mark("before");
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL) != 0) {
        return 1;
    }
    pthread_join(thread, NULL);
    mark("after");
    return 0;
}
