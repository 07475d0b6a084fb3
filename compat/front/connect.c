/* SPDX-License-Identifier: Apache-2.0
 *
 * How the front finds the bridge's marks. The bridge may be in the process from its begin, or be
 * loaded when a runtime asks for a tool (ompcollect); it says so then. Until then nothing is
 * marked.
 */
#include "next.h"

#include <dlfcn.h>

#ifdef __x86_64__

static char *thread_pointer(void) {
    char *pointer = NULL;
    __asm__("movq %%fs:0, %0" : "=r"(pointer));
    return pointer;
}

/* The thread-local is an initial-exec one: at the same place for each thread. */
__attribute__((visibility("default"))) void
omp_collector_front_connect(omp_collector_bridge_front **own_front,
                            void (*note_fork)(const void *, const void *)) {
    __atomic_store_n(&ocb_front_note_fork, note_fork, __ATOMIC_RELAXED);
    __atomic_store_n(&ocb_front_place, (char *)own_front - thread_pointer(), __ATOMIC_RELAXED);
}

omp_collector_bridge_front *ocb_front_of_caller(void) {
    const ptrdiff_t place = __atomic_load_n(&ocb_front_place, __ATOMIC_RELAXED);
    return place ? *(omp_collector_bridge_front **)(void *)(thread_pointer() + place) : NULL;
}

__attribute__((constructor)) static void find_bridge(void) {
    void *own_front = dlsym(RTLD_DEFAULT, "omp_collector_bridge_own_front");
    void (*note_fork)(const void *, const void *) = NULL;
    *(void **)&note_fork = dlsym(RTLD_DEFAULT, "omp_collector_bridge_note_fork");
    if (own_front && note_fork) {
        omp_collector_front_connect((omp_collector_bridge_front **)own_front, note_fork);
    }
}

#endif
