/* SPDX-License-Identifier: Apache-2.0
 *
 * odd_collector data|slow - a collector that registers an address of data as its callback, or whose
 * callback does not return before STOP has.
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

int main(int argc, char **argv) {
    api = omp_collector_find();
    const int is_slow = argc > 1 && strcmp(argv[1], "slow") == 0;
    printf("START %d\n", omp_collector_request(api, OMP_REQ_START));
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
