/* SPDX-License-Identifier: Apache-2.0
 *
 * opener WORD...: a folder (its name ends with a slash) becomes the current one; any other word is
 * a library, which is opened, works, and is closed. Prints where its work() was. With "before" as
 * the first word each library computes before OpenMP's first call, and the last one then works.
 */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    const int is_before = argc > 1 && strcmp(argv[1], "before") == 0;
    if (!is_before) {
        (void)omp_get_max_threads(); /* the runtime is the program's, and stays */
    }
    for (int i = 1 + is_before; i < argc; ++i) {
        if (argv[i][strlen(argv[i]) - 1] == '/') {
            if (chdir(argv[i]) != 0) {
                perror(argv[i]);
                return 1;
            }
            continue;
        }
        void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        void (*work)(void) = NULL;
        if (library) {
            *(void **)&work = dlsym(library, is_before && i + 1 < argc ? "before" : "work");
        }
        if (!work) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        printf("%p\n", *(void **)&work);
        if (i + 1 < argc && argv[i + 1][strlen(argv[i + 1]) - 1] == '/' &&
            chdir(argv[i + 1]) != 0) { /* it works elsewhere than it was opened */
            return 1;
        }
        work();
        dlclose(library);
    }
    return 0;
}
