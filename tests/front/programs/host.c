/* SPDX-License-Identifier: Apache-2.0
 * host [HOW PLUGIN]... - opens each plugin (HOW: l for itself, g for all, d for itself and deeply),
 * runs it twice, and what it has of OpenMP itself, if it is compiled with it, in between. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#ifdef _OPENMP
#include <omp.h>
#endif

static int run_own(void) {
    int members = 0;
#ifdef _OPENMP
    static omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        omp_set_lock(&lock);
        ++members;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
#endif
    return members;
}

static int how_to_open(char how) {
    return RTLD_LAZY | (how == 'g'   ? RTLD_GLOBAL
                        : how == 'd' ? RTLD_LOCAL | RTLD_DEEPBIND
                                     : RTLD_LOCAL);
}

int main(int argc, char **argv) {
    printf("own %d\n", run_own());
    for (int i = 1; i + 1 < argc; i += 2) {
        void *plugin = dlopen(argv[i + 1], how_to_open(argv[i][0]));
        int (*run)(void) = plugin ? (int (*)(void))dlsym(plugin, "run_plugin") : NULL;
        if (!run) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        printf("plugin %d\n", run());
        printf("own %d\n", run_own());
        printf("plugin %d\n", run());
    }
    return 0;
}
