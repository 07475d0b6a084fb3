/* SPDX-License-Identifier: Apache-2.0
 *
 * queues critical|lock COUNT: two threads, so many times: 8 ms of processor time for which they
 * queue, 4 ms for which they do not. Prints how long they queued, by the clock, in seconds of both
 * threads.
 * queues none MILLISECONDS: each thread enters and leaves what no other one wants, for so long:
 * a lock, a nest lock, a named critical region.
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

static struct {
    omp_lock_t lock;
    omp_nest_lock_t nest_lock;
    char apart[112];
} own[2];

static double never_queue(double milliseconds) {
    double sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        const int thread = omp_get_thread_num();
        omp_init_lock(&own[thread].lock);
        omp_init_nest_lock(&own[thread].nest_lock);
        const double begin = seconds(CLOCK_THREAD_CPUTIME_ID);
        while (seconds(CLOCK_THREAD_CPUTIME_ID) - begin < 1e-3 * milliseconds) {
            for (int i = 0; i < 1000; ++i) {
                omp_set_lock(&own[thread].lock);
                sum += i;
                omp_unset_lock(&own[thread].lock);
                omp_set_nest_lock(&own[thread].nest_lock);
                omp_set_nest_lock(&own[thread].nest_lock);
                sum += i;
                omp_unset_nest_lock(&own[thread].nest_lock);
                omp_unset_nest_lock(&own[thread].nest_lock);
                if (thread == 0) {
#pragma omp critical(of_the_first)
                    sum += i;
                } else {
#pragma omp critical(of_the_second)
                    sum += i;
                }
            }
        }
    }
    return sum;
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "none") == 0) {
        return never_queue(atof(argv[2])) > 0 ? 0 : 1;
    }
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
