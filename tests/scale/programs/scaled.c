// SPDX-License-Identifier: Apache-2.0
//
// scaled [WHAT]: a serial part and two regions. WHAT with two threads or more: `fails` ends with 3,
// `differs` prints another word; `alone` has one thread whatever is asked for.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double processor_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void burn(double seconds) {
    const double end = processor_seconds() + seconds;
    while (processor_seconds() < end) {
    }
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "alone") == 0) {
        omp_set_num_threads(1);
    }
    const int threads = omp_get_max_threads();
    burn(0.02);
#pragma omp parallel
    burn(0.08 / omp_get_num_threads());
#pragma omp parallel
    if (omp_get_thread_num() == 0) {
        burn(0.04);
    }
    if (threads > 1 && strcmp(what, "fails") == 0) {
        fprintf(stderr, "out of cheese\n");
        return 3;
    }
    printf("%s with %d threads, %s, in %.6f s\n",
           threads > 1 && strcmp(what, "differs") == 0 ? "bad" : "good", threads,
           argc > 2 ? argv[2] : "no size", processor_seconds());
    return 0;
}
