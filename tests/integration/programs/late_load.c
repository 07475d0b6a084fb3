/* SPDX-License-Identifier: Apache-2.0
 *
 * late_load BRIDGE COLLECTOR - uses OpenMP first and loads the bridge and a collector afterwards,
 * as old collectors do that find their provider by name. By then the runtime has no place for a
 * tool any more.
 */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

static int use_openmp(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_num_threads();
    return sum;
}

int main(int argc, char **argv) {
    if (use_openmp() == 0) {
        return 1;
    }
    for (int i = 1; i < argc; ++i) {
        if (!dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL)) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
    }
    printf("%d\n", use_openmp());
    return 0;
}
