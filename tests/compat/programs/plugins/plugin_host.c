/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin_host LIBRARY: opens the library, which brings an OpenMP runtime, and calls its work().
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void (*work)(void) = NULL;
    if (library) {
        *(void **)&work = dlsym(library, "work");
    }
    if (!work) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    work();
    return 0;
}
