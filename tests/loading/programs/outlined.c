/* SPDX-License-Identifier: Apache-2.0
 *
 * outlined [PLUGIN] - asks for TAU's symbol where TAU does. For each region one line: its name,
 * what the symbol said in FORK, an address of the code that the region runs (both relative to the
 * program's first byte, 0 for none), and whether every thread of the team was told the same. A
 * plugin with a runtime of its own is run at the end.
 */
#define _GNU_SOURCE
#include "omp_collector_bridge.h"
#include "omp_collector_client.h"
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

static void *(*proxy_address)(void);
static omp_collector_bridge_region_code_t region_address;
static void *in_fork[2]; /* by depth */
static const void *fork_address[2];
static void *code_of_start;
static int differ;

static void on_fork(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
    const int depth = omp_get_level() > 0;
    in_fork[depth] = proxy_address();
    fork_address[depth] = region_address();
}

/* Called in the region's own function by each of its threads. */
static __attribute__((noinline)) void body(int depth) {
    if (proxy_address() != in_fork[depth]) {
        __atomic_add_fetch(&differ, 1, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&code_of_start, __builtin_return_address(0), __ATOMIC_RELAXED);
}

static unsigned long offset(const void *address) {
    Dl_info self;
    if (!address || dladdr((void *)offset, &self) == 0) {
        return 0;
    }
    return (unsigned long)((uintptr_t)address - (uintptr_t)self.dli_fbase);
}

static void report(const char *name, int depth) {
    printf("%s %lx %lx %lx %s\n", name, offset(in_fork[depth]), offset(code_of_start),
           offset(fork_address[depth]), differ ? "different" : "same");
    differ = 0;
}

static void nested(void) {
#pragma omp parallel num_threads(2)
    {
        body(0);
        /* The inner region's report is not mixed with what a late worker of this one writes. */
#pragma omp barrier
#pragma omp master
        {
#pragma omp parallel num_threads(2)
            body(1);
            report("inner", 1);
            body(0);
        }
    }
    report("outer", 0);
}

static int with_many_arguments(int a, int b, int c, int d, int e, int f, int g, int h) {
    int sum = 0;
#pragma omp parallel num_threads(2) firstprivate(a, b, c, d, e, f, g, h) reduction(+ : sum)
    {
        sum += a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
        body(0);
    }
    report("arguments", 0);
    return sum;
}

int main(int argc, char **argv) {
    const OMP_COLLECTOR_API_FUNCTION api = omp_collector_find();
    proxy_address = (void *(*)(void))dlsym(RTLD_DEFAULT, "Tau_get_gomp_proxy_address");
    region_address = (omp_collector_bridge_region_code_t)dlsym(
        RTLD_DEFAULT, "omp_collector_bridge_region_address");
    if (!proxy_address || !region_address ||
        omp_collector_request(api, OMP_REQ_START) != OMP_ERRCODE_OK ||
        omp_collector_register(api, OMP_EVENT_FORK, on_fork) != OMP_ERRCODE_OK) {
        return 1;
    }

#pragma omp parallel num_threads(2)
    body(0);
    report("parallel", 0);
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int i = 0; i < 4; ++i) {
        body(0);
    }
    report("dynamic", 0);
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        body(0);
#pragma omp section
        body(0);
    }
    report("sections", 0);
    nested();
    printf("sum %d\n", with_many_arguments(1, 2, 3, 4, 5, 6, 7, 8));
    printf("serial %lx\n", offset(proxy_address()));
    if (argc > 1) {
        void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        int (*run_plugin)(void) = plugin ? (int (*)(void))dlsym(plugin, "run_plugin") : NULL;
        printf("plugin %d\n", run_plugin ? run_plugin() : -1);
    }
    return 0;
}
