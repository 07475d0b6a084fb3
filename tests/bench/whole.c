/* SPDX-License-Identifier: Apache-2.0
 * Programs of which little but OpenMP is left: whole runs are counted (measure.py, section whole).
 *
 * whole tasks N         fib(N): a task per call, in a team of OMP_NUM_THREADS
 * whole regions N       so many empty regions, one after the other
 * whole barriers N      so many barriers in one region, with nothing in between
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long fib(int n) {
    long first, second;
    if (n < 2) {
        return n;
    }
#pragma omp task shared(first)
    first = fib(n - 1);
#pragma omp task shared(second)
    second = fib(n - 2);
#pragma omp taskwait
    return first + second;
}

int main(int count, char **arguments) {
    const long size = count == 3 ? atol(arguments[2]) : 0;
    if (size > 0 && strcmp(arguments[1], "tasks") == 0) {
        long result = 0;
#pragma omp parallel
#pragma omp single
        result = fib((int)size);
        printf("%ld\n", result);
    } else if (size > 0 && strcmp(arguments[1], "regions") == 0) {
        for (long i = 0; i < size; ++i) {
#pragma omp parallel
            __asm__ volatile("" ::: "memory");
        }
    } else if (size > 0 && strcmp(arguments[1], "barriers") == 0) {
#pragma omp parallel
        for (long i = 0; i < size; ++i) {
#pragma omp barrier
        }
    } else {
        fprintf(stderr, "usage: whole tasks|regions|barriers N\n");
        return 2;
    }
    return 0;
}
