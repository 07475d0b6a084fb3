/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin of host_of_plugins.cpp. WORK is the name of its function with regions.
 */
#include <omp.h>

/* A region with a loop whose iterations are dealt, one with tasks, and one in a region. */
static __attribute__((noinline)) long WORK(int round) {
    long sum = 0, tasks = 0;
#pragma omp parallel for num_threads(2) schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < 400; ++i) {
        for (volatile int k = 0; k < 1000; ++k) {
        }
        sum += i * round;
    }
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 20; ++i) {
#pragma omp task shared(tasks)
        {
#pragma omp atomic
            tasks += i;
        }
    }
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp parallel num_threads(1) reduction(+ : sum)
        sum += omp_get_level();
#pragma omp critical
        tasks += round;
    }
    return sum + tasks;
}

long plugin_work(int round);
long plugin_work(int round) {
    return WORK(round);
}
