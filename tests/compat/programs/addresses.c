/* SPDX-License-Identifier: Apache-2.0
 *
 * addresses THREADS: a region of so many threads, in which nobody allocates anything. Prints the
 * most addresses that the process has had at once, in kB.
 */
#include "work.h"

#include <stdio.h>
#include <stdlib.h>

static long peak(void) {
    long kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    while (status && fgets(line, sizeof line, status)) {
        sscanf(line, "VmPeak: %ld", &kilobytes);
    }
    if (status) {
        fclose(status);
    }
    return kilobytes;
}

int main(int argc, char **argv) {
    const int threads = argc > 1 ? atoi(argv[1]) : 2;
#pragma omp parallel num_threads(threads)
    work(5);
    printf("%ld\n", peak());
    return 0;
}
