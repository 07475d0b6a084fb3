/* SPDX-License-Identifier: Apache-2.0
 *
 * second_runtime LIBRARY - a program with an OpenMP runtime opens another one and makes it begin.
 */
#include "marks.h"
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv) {
#pragma omp parallel num_threads(2)
    mark("body");
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*max_threads)(void) =
        library ? (int (*)(void))dlsym(library, "omp_get_max_threads") : NULL;
    if (!max_threads || (void *)max_threads == (void *)omp_get_max_threads) {
        return 1;
    }
    return max_threads() < 1;
}
