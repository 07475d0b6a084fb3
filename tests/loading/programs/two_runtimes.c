/* SPDX-License-Identifier: Apache-2.0
 *
 * two_runtimes PLUGIN - a program with an OpenMP runtime of its own that opens a plugin with
 * another one, asks for a session then, and runs one region of each.
 */
#include "marks.h"
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!plugin) {
        puts(dlerror());
        return 1;
    }
    int (*run_plugin)(void) = (int (*)(void))dlsym(plugin, "run_plugin");
    start_session();
    mark("own");
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_num_threads();
    mark("plugin");
    printf("%d %d\n", sum, run_plugin());
    return 0;
}
