/* SPDX-License-Identifier: Apache-2.0
 *
 * A preloaded collector that looks for its producer as TAU did, in its constructor: before any
 * runtime is there. Like TAU until 2014 it has a weak __omp_collector_api of its own, which serves
 * nobody. OCB_TEST_LOOKUP is "default" (the order of search, then the names) or "name" (TAU of
 * 2012: by name only). At the end it says on stderr what it found and heard:
 *
 *     client api own|found|none START 0 FORK 2 named 2
 */
#define _GNU_SOURCE
#include "omp_collector_client.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((weak, visibility("default"))) int __omp_collector_api(void *list);
__attribute__((weak, visibility("default"))) int __omp_collector_api(void *list) {
    (void)list;
    return -1;
}

static OMP_COLLECTOR_API_FUNCTION api;
static void *(*proxy_address)(void);
static int start = OMP_COLLECTOR_NO_CALL;
static atomic_int forks, named;

static void on_fork(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
    ++forks;
    named += proxy_address && proxy_address();
}

static void *find(const char *symbol) {
    const char *lookup = getenv("OCB_TEST_LOOKUP");
    const int is_by_name = lookup && strcmp(lookup, "name") == 0;
    void *found = is_by_name ? NULL : dlsym(RTLD_DEFAULT, symbol);
    static const char *const kNames[] = {"libTAU-gomp.so", "libopenmp.so"};
    for (int i = is_by_name; !found && i < 2; ++i) {
        void *handle = dlopen(kNames[i], RTLD_NOW | RTLD_GLOBAL);
        found = handle ? dlsym(handle, symbol) : NULL;
    }
    return found;
}

static int is_own(const void *function) {
    Dl_info of_function;
    Dl_info of_client;
    return dladdr(function, &of_function) && dladdr((void *)&start, &of_client) &&
           of_function.dli_fbase == of_client.dli_fbase;
}

__attribute__((constructor)) static void begin(void) {
    void *const function = find(OMP_COLLECTOR_API);
    void *const address = find("Tau_get_gomp_proxy_address");
    memcpy(&api, &function, sizeof api);
    memcpy(&proxy_address, &address, sizeof proxy_address);
    start = omp_collector_request(api, OMP_REQ_START);
    if (start == OMP_ERRCODE_OK) {
        omp_collector_register_range(api, OMP_EVENT_FORK, OMP_EVENT_FORK, on_fork);
    }
}

__attribute__((destructor)) static void end(void) {
    void *found = NULL;
    memcpy(&found, &api, sizeof found);
    fprintf(stderr, "client api %s START %d FORK %d named %d\n",
            !found          ? "none"
            : is_own(found) ? "own"
                            : "found",
            start, forks, named);
}
