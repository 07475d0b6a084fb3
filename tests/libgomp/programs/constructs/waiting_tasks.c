/* SPDX-License-Identifier: Apache-2.0
 * waiting_tasks - One thread creates tasks that all wait until the last one is created. Prints how
 * many ran, and the sum of what they were given. */
#include <omp.h>
#include <sched.h>
#include <stdio.h>

/* Of more than 64 waiting tasks for each thread of the team, libgomp runs the rest at once. */
enum { kThreads = 16, kTasks = 1000 };

int main(void) {
    long ran = 0;
    long sum = 0;
    int is_created = 0;
#pragma omp parallel num_threads(kThreads)
    if (omp_get_thread_num() == 0) {
        for (long i = 0; i < kTasks; ++i) {
#pragma omp task
            {
#pragma omp atomic
                ++ran;
#pragma omp atomic
                sum += i;
            }
        }
#pragma omp atomic write
        is_created = 1;
    } else {
        for (int seen = 0; !seen;) {
#pragma omp atomic read
            seen = is_created;
            sched_yield();
        }
    }
    printf("%ld %ld\n", ran, sum);
}
