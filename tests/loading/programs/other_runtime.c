/* SPDX-License-Identifier: Apache-2.0
 *
 * other_runtime LIBRARY - a program that is linked with an OpenMP runtime and uses another one
 * only, which it opens. A runtime of LLVM's family ends a process in which a second one is
 * initialised.
 */
#include "marks.h"
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

/* In a function of its own: clang makes a function with a region enter the runtime at its start. */
static __attribute__((noinline)) void use_own(void) {
#pragma omp parallel num_threads(2)
    mark("own");
}

int main(int argc, char **argv) {
    if (argc != 2) {
        use_own();
        return 1;
    }
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*max_threads)(void) =
        library ? (int (*)(void))dlsym(library, "omp_get_max_threads") : NULL;
    if (!max_threads || (void *)max_threads == (void *)omp_get_max_threads) {
        return 1;
    }
    puts(max_threads() > 0 ? "the other one runs" : "?");
    return 0;
}
