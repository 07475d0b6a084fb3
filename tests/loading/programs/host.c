/* SPDX-License-Identifier: Apache-2.0
 *
 * host PLUGIN - a program that leaves OpenMP to a plugin, which it opens for itself alone, runs
 * twice, and asks in between for a session where none has begun.
 */
#include "marks.h"
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!plugin) {
        puts(dlerror());
        return 1;
    }
    int (*run_plugin)(void) = (int (*)(void))dlsym(plugin, "run_plugin");
    if (argc > 2) {
        start_session();
    }
    printf("%d\n", run_plugin());
    mark("between");
    printf("%d\n", run_plugin());
    return 0;
}
