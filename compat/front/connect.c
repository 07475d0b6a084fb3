/* SPDX-License-Identifier: Apache-2.0
 *
 * How the front finds the bridge's marks. The bridge may be in the process from its begin, or be
 * loaded when a runtime asks for a tool (ompcollect). It announces itself then. Until then
 * nothing is marked.
 */
#include "marks.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void note_nothing(const void *function, const void *return_address) {
    (void)function;
    (void)return_address;
}

ptrdiff_t ocb_front_place;
void (*ocb_front_note_fork)(const void *, const void *) = note_nothing;
unsigned ocb_front_is_bound;
unsigned ocb_front_calls = OMP_COLLECTOR_FRONT_NO_SINGLES;

/* What a thread finds where there is no bridge: null. */
static __thread omp_collector_bridge_front *nobody;

static char *thread_pointer(void) {
    char *pointer = NULL;
#ifdef __x86_64__
    __asm__("movq %%fs:0, %0" : "=r"(pointer));
#elif defined(__aarch64__)
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#endif
    return pointer;
}

/* On other machines the stubs mark nothing. */
#if defined(__x86_64__) || defined(__aarch64__)
enum { kStubsMark = 1 };
#else
enum { kStubsMark = 0 };
#endif

static int marks_are_declined(void) {
    const char *value = secure_getenv("OCB_FRONT");
    return value && strcmp(value, "off") == 0;
}

/* The thread-local is an initial-exec one: at the same place for each thread. */
static int mark_for(omp_collector_bridge_front **own_front,
                    void (*note_fork)(const void *, const void *)) {
    if (!kStubsMark || marks_are_declined()) {
        return 0;
    }
    __atomic_store_n(&ocb_front_note_fork, note_fork, __ATOMIC_SEQ_CST);
    __atomic_store_n(&ocb_front_place, (char *)own_front - thread_pointer(), __ATOMIC_RELAXED);
    return 1;
}

/* The marks belong to the first bridge that a runtime initialises, for good: a call takes its mark
 * back from the bridge that it was given to. */
__attribute__((visibility("default"))) const unsigned *
omp_collector_front_connect(omp_collector_bridge_front **own_front,
                            void (*note_fork)(const void *, const void *)) {
    static omp_collector_bridge_front **first;
    omp_collector_bridge_front **none = NULL;
    const int is_first = __atomic_compare_exchange_n(&first, &none, own_front, 0, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED);
    /* A second runtime may be the same bridge's. */
    if (!is_first && none != own_front) {
        return NULL;
    }
    const int marks = mark_for(own_front, note_fork);
    /* A runtime inside of the program is called without a slot, and so without a mark. */
    const int stands = __atomic_load_n(&ocb_front_is_bound, __ATOMIC_RELAXED) != 0;
    return marks && stands ? &ocb_front_calls : NULL;
}

int ocb_front_marks_here(void) {
    return ocb_front_place != 0 &&
           *(omp_collector_bridge_front **)(void *)(thread_pointer() + ocb_front_place) != NULL;
}

void ocb_front_begin_marks(void) {
    if (ocb_front_place == 0) {
        ocb_front_place = (char *)&nobody - thread_pointer();
    }
}

__attribute__((constructor)) static void find_bridge(void) {
    if (!kStubsMark) {
        return;
    }
    void *own_front = dlsym(RTLD_DEFAULT, "omp_collector_bridge_own_front");
    void (*note_fork)(const void *, const void *) = NULL;
    *(void **)&note_fork = dlsym(RTLD_DEFAULT, "omp_collector_bridge_note_fork");
    if (own_front && note_fork) {
        mark_for((omp_collector_bridge_front **)own_front, note_fork);
    }
}
