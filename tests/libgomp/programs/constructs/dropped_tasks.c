/* SPDX-License-Identifier: Apache-2.0
 * dropped_tasks - libgomp drops tasks that have not begun where their taskgroup is cancelled, and
 * says nothing. Prints by how many KiB the process has grown over many of them, and how many tasks
 * were created and did not run. */
#include <omp.h>
#include <stdio.h>
#include <sys/resource.h>

static long ran;

/* The other thread takes no task until all have been dropped. */
static void drop_tasks(int tasks) {
    int is_over = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
#pragma omp taskgroup
#pragma omp task if (0)
        {
            for (int i = 0; i < tasks; ++i) {
#pragma omp task
#pragma omp atomic
                ++ran;
            }
#pragma omp cancel taskgroup
        }
#pragma omp atomic write
        is_over = 1;
    } else {
        for (int seen = 0; !seen;) {
#pragma omp atomic read
            seen = is_over;
        }
    }
}

static long kib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

int main(void) {
    enum { kTasks = 100, kTimes = 3000, kFirst = 200 };
    long before = 0;
    for (int i = 0; i < kTimes; ++i) {
        drop_tasks(kTasks);
        before = i == kFirst ? kib() : before;
    }
    printf("%ld %ld\n", kib() - before, (long)kTasks * kTimes - ran);
}
