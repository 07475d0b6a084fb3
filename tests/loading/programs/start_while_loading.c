/* SPDX-License-Identifier: Apache-2.0
 *
 * start_while_loading PLUGIN - opens a collector whose constructor sends START while another thread
 * makes the first use of OpenMP, and runs a region of two.
 */
#include "marks.h"
#include <dlfcn.h>
#include <stdio.h>

static __attribute__((noinline)) void region(void) {
#pragma omp parallel num_threads(2)
    mark("body");
}

int main(int argc, char **argv) {
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (!plugin) {
        puts(dlerror());
        return 1;
    }
    int (*answer)(void) = (int (*)(void))dlsym(plugin, "answer_to_start");
    printf("START %d\n", answer());
    region();
    return 0;
}
