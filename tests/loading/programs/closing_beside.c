/* SPDX-License-Identifier: Apache-2.0
 *
 * closing_beside LIBRARY - two threads open and close the library without end while the main thread
 * asks the producer to START, again and again: START looks through what is loaded.
 */
#define _GNU_SOURCE
#include "omp_collector_client.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int is_over;
static atomic_long closed;

static void *open_and_close(void *library) {
    while (!is_over) {
        void *const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        if (handle == NULL || dlclose(handle) != 0) {
            fprintf(stderr, "closing_beside: %s\n", dlerror());
            return library;
        }
        ++closed;
    }
    return NULL;
}

int main(int count, char **arguments) {
    enum { kThreads = 2, kStarts = 200000 };
    const OMP_COLLECTOR_API_FUNCTION api = omp_collector_find();
    if (count != 2 || api == NULL) {
        return 2;
    }
    pthread_t threads[kThreads];
    for (int i = 0; i < kThreads; ++i) {
        if (pthread_create(&threads[i], NULL, open_and_close, arguments[1]) != 0) {
            return 2;
        }
    }
    /* As many STARTs, and as many closings beside them: whoever is slow is waited for. */
    for (long i = 0; i < kStarts || closed < kStarts; ++i) {
        omp_collector_request(api, OMP_REQ_START);
        omp_collector_request(api, OMP_REQ_STOP);
    }
    is_over = 1;
    int failed = 0;
    for (int i = 0; i < kThreads; ++i) {
        void *result = NULL;
        failed |= pthread_join(threads[i], &result) != 0 || result != NULL;
    }
    puts("all answered");
    return failed;
}
