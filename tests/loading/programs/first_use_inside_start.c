/* SPDX-License-Identifier: Apache-2.0
 *
 * first_use_inside_start - another thread makes the first use of OpenMP while START looks whether
 * that has happened: its first look at the mark of the runtime finds the mark.
 */
#include "marks.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static int is_awaited;

static void *first_use(void *unused) {
#pragma omp parallel num_threads(1)
    mark("first");
    return unused;
}

/* In front of the C library's, for the bridge too. */
char *getenv(const char *name) {
    const size_t length = strlen(name);
    pthread_t thread;
    if (is_awaited && strncmp(name, "__KMP_REGISTERED_LIB_", 21) == 0) {
        is_awaited = 0;
        pthread_create(&thread, NULL, first_use, NULL);
        pthread_join(thread, NULL);
    }
    for (char **each = environ; *each; ++each) {
        if (strncmp(*each, name, length) == 0 && (*each)[length] == '=') {
            return *each + length + 1;
        }
    }
    return NULL;
}

/* clang asks for the thread's number at the begin of a function with a region. */
static __attribute__((noinline)) void region(void) {
#pragma omp parallel num_threads(2)
    mark("body");
}

int main(void) {
    is_awaited = 1;
    start_session();
    region();
    return 0;
}
