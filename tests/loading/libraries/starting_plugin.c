/* SPDX-License-Identifier: Apache-2.0
 *
 * starting_plugin - a collector that sends START in its constructor, so under the dynamic linker's
 * lock. Another thread makes the first use of OpenMP meanwhile: START comes when that thread waits
 * for the same lock inside of the runtime's initialisation, or has got through.
 */
#include "omp_collector_api.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int (*max_threads)(void);
static int user = 0, is_through = 0, start_error = -1;

int answer_to_start(void);
int answer_to_start(void) {
    return start_error;
}

static void *use_openmp(void *unused) {
    __atomic_store_n(&user, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
    max_threads();
    __atomic_store_n(&is_through, 1, __ATOMIC_RELEASE);
    return unused;
}

static char state_of_thread(int thread) {
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    FILE *file = fopen(path, "re");
    if (!file) {
        return '?';
    }
    const char *end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    return end && end[1] == ' ' ? end[2] : '?';
}

__attribute__((constructor)) static void start_in_plugin(void) {
    *(void **)&max_threads = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    OMP_COLLECTOR_API_FUNCTION api = NULL;
    *(void **)&api = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    pthread_t thread = 0;
    if (!max_threads || !api || pthread_create(&thread, NULL, use_openmp, NULL) != 0) {
        return;
    }
    pthread_detach(thread);
    while (__atomic_load_n(&user, __ATOMIC_ACQUIRE) == 0) {
        sched_yield();
    }
    /* Asleep at several looks in a row: it waits for the lock. */
    for (int asleep = 0; asleep < 20 && !__atomic_load_n(&is_through, __ATOMIC_ACQUIRE);) {
        asleep = state_of_thread(user) == 'S' ? asleep + 1 : 0;
        sched_yield();
    }
    int list[5] = {OMP_COLLECTOR_HEADER_SIZE, OMP_REQ_START, -1, -1, 0};
    start_error = api(list) == 0 ? list[2] : -1;
}
