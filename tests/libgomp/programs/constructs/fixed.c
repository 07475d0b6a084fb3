/* SPDX-License-Identifier: Apache-2.0
 * fixed - constructs whose numbers of events are the same in every run and on every runtime. */
#include <omp.h>
#include <stdio.h>

enum { kRounds = 50, kThreads = 3 };

static int fibonacci(int n) {
    int a, b;
    if (n < 2) {
        return n;
    }
#pragma omp task shared(a) if (n > 5)
    a = fibonacci(n - 1);
#pragma omp task shared(b) untied
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void) {
    long sum = 0;
    int number = 0;
    omp_lock_t lock;
    omp_nest_lock_t nest_lock;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel num_threads(kThreads) reduction(+ : sum)
        {
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 10; ++i) {
                sum += i;
            }
#pragma omp sections nowait
            {
#pragma omp section
                sum += 1;
#pragma omp section
                sum += 2;
            }
#pragma omp critical
            sum += 1;
#pragma omp critical(named)
            sum += 1;
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
            omp_set_nest_lock(&nest_lock);
            omp_set_nest_lock(&nest_lock);
            omp_unset_nest_lock(&nest_lock);
            omp_unset_nest_lock(&nest_lock);
#pragma omp barrier
#pragma omp master
            {
#pragma omp taskgroup
                {
#pragma omp task
                    omp_get_thread_num();
                }
            }
        }
#pragma omp parallel if (0)
        sum += 1;
    }
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp master
        number = fibonacci(12);
    }
#pragma omp parallel for ordered schedule(static, 1) num_threads(kThreads)
    for (int i = 0; i < 12; ++i) {
#pragma omp ordered
        number += i;
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest_lock);
    printf("%ld %d\n", sum, number);
    return 0;
}
