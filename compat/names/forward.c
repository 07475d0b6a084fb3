/* SPDX-License-Identifier: Apache-2.0
 *
 * What old collectors look up in the library that they open or preload by one of its names. The
 * bridge, which every name brings, has the same functions; but it comes late in the order of
 * search. A collector with a weak __omp_collector_api of its own (TAU until 2014) would find that
 * one first. So each name has the functions itself and hands every call on to the one bridge.
 *
 * The bridge's function is found when the library is loaded, or by the first call, which may come
 * before any constructor: a START, never a request from a signal handler.
 */
#include "omp_collector_api.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int __omp_collector_api(void *list);
EXPORTED void *Tau_get_gomp_proxy_address(void);

static int no_api(void *list) {
    (void)list;
    return -1;
}
static void *no_address(void) {
    return NULL;
}

static OMP_COLLECTOR_API_FUNCTION api;
static void *(*region_function)(void);

static void say_that_bridge_is_missing(void) {
    static const char kText[] =
        "[omp-collector-bridge] error: " OCB_NAME " finds no " OCB_BRIDGE
        " with a Collector API: no OpenMP events. Use libraries of one version\n";
    if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0) {
        return;
    }
}

/* Any definition but the bridge's may be another collector's or that of another name. */
__attribute__((constructor)) static void find_bridge(void) {
    if (__atomic_load_n(&api, __ATOMIC_ACQUIRE)) {
        return;
    }
    void *bridge = dlopen(OCB_BRIDGE, RTLD_LAZY | RTLD_NOLOAD);
    void *found_api = bridge ? dlsym(bridge, "__omp_collector_api") : NULL;
    void *found_address = bridge ? dlsym(bridge, "Tau_get_gomp_proxy_address") : NULL;
    if (!found_api) {
        say_that_bridge_is_missing();
    }
    void *(*addresses)(void) = no_address;
    if (found_address) {
        memcpy(&addresses, &found_address, sizeof addresses);
    }
    __atomic_store_n(&region_function, addresses, __ATOMIC_RELAXED);
    OMP_COLLECTOR_API_FUNCTION answers = no_api;
    if (found_api) {
        memcpy(&answers, &found_api, sizeof answers);
    }
    __atomic_store_n(&api, answers, __ATOMIC_RELEASE);
}

int __omp_collector_api(void *list) {
    OMP_COLLECTOR_API_FUNCTION found = __atomic_load_n(&api, __ATOMIC_ACQUIRE);
    if (!found) {
        find_bridge();
        found = __atomic_load_n(&api, __ATOMIC_ACQUIRE);
    }
    return found(list);
}

void *Tau_get_gomp_proxy_address(void) {
    void *(*const found)(void) = __atomic_load_n(&region_function, __ATOMIC_ACQUIRE);
    return found ? found() : NULL;
}
