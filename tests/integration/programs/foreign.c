/* SPDX-License-Identifier: Apache-2.0
 *
 * foreign [plain|openmp] - a thread made by pthread_create, which leaves OpenMP alone or runs a
 * region of its own, while the initial thread waits for it in serial code.
 */
#include "marks.h"
#include "workers_leave.h"
#include <omp.h>
#include <pthread.h>
#include <string.h>

static void *run_plain(void *unused) {
    mark("foreign");
    return unused;
}

static void *run_openmp(void *unused) {
    mark("foreign");
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            mark("foreign master");
        } else {
            mark("foreign worker");
        }
    }
    mark("foreign after");
    return unused;
}

int main(int argc, char **argv) {
    const int plain = argc > 1 && strcmp(argv[1], "plain") == 0;
    mark("before");
    pthread_t thread;
    if (pthread_create(&thread, NULL, plain ? run_plain : run_openmp, NULL) != 0) {
        return 1;
    }
    pthread_join(thread, NULL);
    mark("after");
    let_workers_leave();
    return 0;
}
