/* SPDX-License-Identifier: Apache-2.0
 *
 * odd_collector data|over|slow|regions|tasks|late|first - a collector that registers an address of
 * data as its callback, or whose session is another one's, or whose callback does not return before
 * STOP has; or it watches more regions, or more suspended tasks, inside each other than the bridge
 * keeps, or starts inside of too many regions; or the program goes on with mutexes where OpenMP's
 * first thread has ended.
 */
#include "omp_collector_client.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static OMP_COLLECTOR_API_FUNCTION api;
static int is_inside;
static int may_leave;
static long reply_data;

static int register_address(void *address) {
    OMP_COLLECTORAPI_CALLBACK callback;
    memcpy(&callback, &address, sizeof callback);
    return omp_collector_register(api, OMP_EVENT_FORK, callback);
}

static void on_fork(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
    __atomic_store_n(&is_inside, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&may_leave, __ATOMIC_ACQUIRE)) {
        usleep(1000);
    }
}

static void *fork_region(void *unused) {
#pragma omp parallel num_threads(1)
    __atomic_add_fetch(&reply_data, 1, __ATOMIC_RELAXED);
    return unused;
}

static void do_nothing(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
}

/* Not inlined into itself: each level costs one small frame. */
__attribute__((noinline)) static void nest_regions(int levels) {
#pragma omp parallel num_threads(1)
    if (levels > 1) {
        nest_regions(levels - 1);
    }
}

static void start_inside(int levels) {
#pragma omp parallel num_threads(1)
    if (levels > 1) {
        start_inside(levels - 1);
    } else {
        printf("START %d\n", omp_collector_request(api, OMP_REQ_START));
    }
}

__attribute__((noinline)) static void nest_tasks(int levels) {
    if (levels > 0) {
#pragma omp task
        nest_tasks(levels - 1);
#pragma omp taskwait
    }
}

static void *run_deep_regions(void *unused) {
    nest_regions(66000);
    return unused;
}

static int run_on_large_stack(void *(*function)(void *)) {
    pthread_t thread;
    pthread_attr_t attributes;
    return pthread_attr_init(&attributes) || pthread_attr_setstacksize(&attributes, 1UL << 30) ||
           pthread_create(&thread, &attributes, function, NULL) || pthread_join(thread, NULL);
}

static int run_deep_tasks(void) {
    omp_collector_register(api, OMP_EVENT_THR_BEGIN_SUSPEND_TASK, do_nothing);
#pragma omp parallel num_threads(1)
    nest_tasks(40);
    return 0;
}

static int outlive_first_thread(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, fork_region, NULL) != 0 || pthread_join(thread, NULL) != 0) {
        return 1;
    }
#pragma omp parallel num_threads(2)
#pragma omp critical
    ++reply_data;
    return 0;
}

int main(int argc, char **argv) {
    api = omp_collector_find();
    if (argc > 1 && strcmp(argv[1], "late") == 0) {
        start_inside(40);
        return 0;
    }
    const int is_slow = argc > 1 && strcmp(argv[1], "slow") == 0;
    printf("START %d\n", omp_collector_request(api, OMP_REQ_START));
    if (argc > 1 && strcmp(argv[1], "over") == 0) {
        printf("REGISTER %d\n", omp_collector_register(api, OMP_EVENT_FORK, do_nothing));
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "regions") == 0) {
        return run_on_large_stack(run_deep_regions);
    }
    if (argc > 1 && strcmp(argv[1], "tasks") == 0) {
        return run_deep_tasks();
    }
    if (argc > 1 && strcmp(argv[1], "first") == 0) {
        omp_collector_register(api, OMP_EVENT_THR_BEGIN_CTWT, do_nothing);
        return outlive_first_thread();
    }
    printf("REGISTER %d\n", register_address(is_slow ? (void *)on_fork : (void *)&reply_data));
    if (!is_slow) {
        return 0;
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, fork_region, NULL) != 0) {
        return 1;
    }
    while (!__atomic_load_n(&is_inside, __ATOMIC_ACQUIRE)) {
        usleep(1000);
    }
    printf("STOP %d\n", omp_collector_request(api, OMP_REQ_STOP));
    __atomic_store_n(&may_leave, 1, __ATOMIC_RELEASE);
    return pthread_join(thread, NULL);
}
