/* SPDX-License-Identifier: Apache-2.0
 * host PLUGIN... - opens plugins, each for itself, and runs them in turn: each with its own number
 * of threads, which stays its own where it has a runtime of its own. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    for (int round = 0; round < 3; ++round) {
        for (int i = 1; i < argc; ++i) {
            void *plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
            int (*run)(int, int) = plugin ? (int (*)(int, int))dlsym(plugin, "plugin_run") : NULL;
            if (!run) {
                fprintf(stderr, "%s\n", dlerror());
                return 1;
            }
            printf("%d\n", run(i + 1, 10));
        }
    }
    return 0;
}
