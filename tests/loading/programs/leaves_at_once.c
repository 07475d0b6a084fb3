/* SPDX-License-Identifier: Apache-2.0
 *
 * leaves_at_once - a program that is linked with an OpenMP runtime. A process of it sends START,
 * prints the answer and ends by _exit without having used OpenMP; with an argument it uses OpenMP
 * first. Its parent says whether that process has left the runtime's file in shared memory, and
 * removes it.
 */
#include "marks.h"
#include "omp_collector_api.h"
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a function of its own: clang makes a function with a region enter the runtime at its start. */
static __attribute__((noinline)) void use_openmp(void) {
#pragma omp parallel num_threads(2)
    mark("body");
}

static void begin_and_leave(int uses_openmp) {
    OMP_COLLECTOR_API_FUNCTION api = NULL;
    *(void **)&api = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    int list[5] = {OMP_COLLECTOR_HEADER_SIZE, OMP_REQ_START, -1, -1, 0};
    if (!api || api(list) != 0) {
        _exit(1);
    }
    if (uses_openmp) {
        use_openmp();
    }
    printf("START %d\n", list[2]);
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv) {
    (void)argv;
    const pid_t child = fork();
    if (child == 0) {
        begin_and_leave(argc > 1);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        return 1;
    }
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/__KMP_REGISTERED_LIB_%ld_%ld", (long)child,
             (long)getuid());
    puts(unlink(path) == 0 ? "left a file" : "left nothing");
    return 0;
}
