/* SPDX-License-Identifier: Apache-2.0
 *
 * queues critical|lock COUNT: two threads, so many times: 8 ms of processor time for which they
 * queue, 4 ms for which they do not. Prints how long they queued, by the clock, in seconds of both
 * threads.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void work(double milliseconds) {
    const double begin = seconds(CLOCK_THREAD_CPUTIME_ID);
    while (seconds(CLOCK_THREAD_CPUTIME_ID) - begin < 1e-3 * milliseconds) {
    }
}

static double queue_for_critical(void) {
    const double came = seconds(CLOCK_MONOTONIC);
    double queued;
#pragma omp critical
    {
        queued = seconds(CLOCK_MONOTONIC) - came;
        work(8);
    }
    return queued;
}

static double queue_for_lock(omp_lock_t *lock) {
    const double came = seconds(CLOCK_MONOTONIC);
    omp_set_lock(lock);
    const double queued = seconds(CLOCK_MONOTONIC) - came;
    work(8);
    omp_unset_lock(lock);
    return queued;
}

int main(int argc, char **argv) {
    const int is_lock = argc > 1 && strcmp(argv[1], "lock") == 0;
    const int count = argc > 2 ? atoi(argv[2]) : 100;
    double queued = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2) reduction(+ : queued)
    for (int i = 0; i < count; ++i) {
        queued += is_lock ? queue_for_lock(&lock) : queue_for_critical();
        work(4);
    }
    omp_destroy_lock(&lock);
    printf("%f\n", queued);
    return 0;
}
