/* SPDX-License-Identifier: Apache-2.0
 * What memory grows with: prints the resident set in KiB after a first tenth and after all of many
 * regions ("regions A B"), of many threads that are created, execute a region and end ("threads A
 * B"), and what a number of threads alive at once adds ("alive N A B"). Run without and with the
 * bridge: the difference is the bridge's.
 *
 * memory REGIONS THREADS
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long resident_kib(void) {
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && kib < 0 && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "VmRSS:", 6) == 0) {
            kib = atol(line + 6);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return kib;
}

static void execute_region(int threads) {
#pragma omp parallel num_threads(threads)
    __asm__ volatile("" ::: "memory");
}

static void *thread_main(void *argument) {
    execute_region(1);
    return argument;
}

static void execute_threads(long count) {
    for (long i = 0; i < count; ++i) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, thread_main, NULL) != 0) {
            exit(1);
        }
        pthread_join(thread, NULL);
    }
}

int main(int argc, char **argv) {
    if (argc < 3) {
        return 2;
    }
    const long regions = atol(argv[1]), threads = atol(argv[2]);
    execute_region(2);
    for (long i = 0; i < regions / 10; ++i) {
        execute_region(1 + i % 16 / 15);
    }
    long before = resident_kib();
    for (long i = regions / 10; i < regions; ++i) {
        execute_region(1 + i % 16 / 15);
    }
    printf("regions %ld %ld\n", before, resident_kib());

    execute_threads(threads / 10);
    before = resident_kib();
    execute_threads(threads - threads / 10);
    printf("threads %ld %ld\n", before, resident_kib());

    enum { kFew = 8, kMany = 128 };
    execute_region(kFew);
    before = resident_kib();
    execute_region(kMany);
    printf("alive %d %ld %ld\n", kMany - kFew, before, resident_kib());
    return 0;
}
