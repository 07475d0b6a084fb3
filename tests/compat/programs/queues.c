/* SPDX-License-Identifier: Apache-2.0
 *
 * queues MILLISECONDS: each of two threads enters and leaves what no other one wants, for so long:
 * a lock, a nest lock, a named critical region.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
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
    return never_queue(atof(argc > 1 ? argv[1] : "100")) > 0 ? 0 : 1;
}
