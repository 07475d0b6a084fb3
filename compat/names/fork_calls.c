/* SPDX-License-Identifier: Apache-2.0
 *
 * The outlined function of a region is an argument of the call that forks it, and OMPT does not
 * pass it on. fork_calls_x86_64.S stands in front of the runtime's fork calls where this library
 * comes before the runtime (LD_PRELOAD, linking); each call comes here, is noted for the bridge,
 * and goes on to the runtime with the same arguments and the same return address, so that the
 * runtime sees the program as the caller. Opened later by name this library stands in front of
 * nothing.
 */
#include "fork_calls.h"

#include "omp_collector_bridge.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *next_definition(const struct fork_call *call, const void *return_address) {
    void *next = dlsym(RTLD_NEXT, call->name);
    if (next) {
        return next;
    }
    /* A plugin with a runtime of its own, which nobody else sees: what the caller would find. */
    Dl_info caller;
    Dl_info found;
    if (dladdr(return_address, &caller) != 0 && caller.dli_fname) {
        void *library = dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        if (library) {
            next = dlsym(library, call->name);
            dlclose(library);
        }
    }
    if (next && dladdr(next, &found) != 0 && dladdr((void *)call, &caller) != 0 &&
        found.dli_fbase != caller.dli_fbase) {
        return next;
    }
    return NULL;
}

void *ocb_fork_call(const void *function, const void *return_address, struct fork_call *call) {
    omp_collector_bridge_note_fork(function, return_address);
    void *next = __atomic_load_n(&call->next, __ATOMIC_RELAXED);
    if (next) {
        return next;
    }
    const int saved_errno = errno;
    next = next_definition(call, return_address);
    if (!next) {
        /* The program calls a function that no library has. The dynamic linker would end it too. */
        static const char kText[] = "[omp-collector-bridge] error: no OpenMP runtime defines ";
        if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0 ||
            write(STDERR_FILENO, call->name, strlen(call->name)) < 0 ||
            write(STDERR_FILENO, "\n", 1) < 0) {
            abort();
        }
        abort();
    }
    /* Only what every caller would find is kept. */
    if (dlsym(RTLD_NEXT, call->name) == next) {
        __atomic_store_n(&call->next, next, __ATOMIC_RELAXED);
    }
    errno = saved_errno;
    return next;
}
