/* SPDX-License-Identifier: Apache-2.0
 *
 * libompcollect-placement.so: preloaded where libomp stands in libgomp's place. libgomp is loaded
 * all the same, and its constructor binds the initial thread where OMP_PROC_BIND, OMP_PLACES or
 * GOMP_CPU_AFFINITY is set. libomp, initialised later, would take that one processor for all that
 * there are. So a call of pthread_setaffinity_np by libgomp does nothing; all others pass.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

typedef int (*set_affinity_function)(pthread_t, size_t, const cpu_set_t *);

static int is_in_libgomp(const void *code) {
    Dl_info info;
    if (!dladdr(code, &info) || !info.dli_fname) {
        return 0;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    const char *name = slash ? slash + 1 : info.dli_fname;
    return strncmp(name, "libgomp.so", 10) == 0 ||
           (strncmp(name, "libgomp-", 8) == 0 && strncmp(name, "libgomp-ompt", 12) != 0);
}

__attribute__((visibility("default"))) int pthread_setaffinity_np(pthread_t thread, size_t size,
                                                                  const cpu_set_t *set) {
    if (is_in_libgomp(__builtin_return_address(0))) {
        return 0;
    }
    set_affinity_function next = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "pthread_setaffinity_np");
    return next ? next(thread, size, set) : ENOSYS;
}
