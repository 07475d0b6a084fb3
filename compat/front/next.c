/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds what the front's entries stand in front of: the runtime that comes behind this library in
 * the order of search, or, for a plugin that brings a runtime nobody else sees, the one that the
 * plugin itself would find. Opened later by name this library stands in front of nothing.
 */
#include "next.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_same_object(const void *a, const void *b) {
    Dl_info of_a;
    Dl_info of_b;
    return dladdr(a, &of_a) != 0 && dladdr(b, &of_b) != 0 && of_a.dli_fbase == of_b.dli_fbase;
}

/* Where the program called: the mark knows it, if the call came through a frame of ours. */
static const void *program_address(const struct front_entry *entry, const void *return_address) {
    const omp_collector_bridge_front *front = ocb_front_of_caller();
    if (!front || !is_same_object(entry, return_address)) {
        return return_address;
    }
    const uintptr_t frame = front->innermost & ~(uintptr_t)15;
    return ((const void *const *)frame)[1];
}

static void *plugins_definition(const struct front_entry *entry, const void *return_address) {
    Dl_info caller;
    if (dladdr(program_address(entry, return_address), &caller) == 0 || !caller.dli_fname) {
        return NULL;
    }
    void *library = dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) {
        return NULL;
    }
    void *next = dlsym(library, entry->name);
    dlclose(library);
    return next && !is_same_object(next, entry) ? next : NULL;
}

/* The program calls a function that no library has. The dynamic linker would end it too. */
static __attribute__((noreturn)) void end_without(const char *name) {
    static const char kText[] = "[omp-collector-bridge] error: no OpenMP runtime defines ";
    if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0 ||
        write(STDERR_FILENO, name, strlen(name)) < 0 || write(STDERR_FILENO, "\n", 1) < 0) {
        abort();
    }
    abort();
}

void *ocb_front_next(struct front_entry *entry, const void *return_address) {
    const int saved_errno = errno;
    void *next = dlsym(RTLD_NEXT, entry->name);
    if (next) {
        __atomic_store_n(&entry->next, next, __ATOMIC_RELAXED);
    } else if (next = plugins_definition(entry, return_address), !next) {
        end_without(entry->name);
    }
    errno = saved_errno;
    return next;
}
