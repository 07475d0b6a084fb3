/* SPDX-License-Identifier: Apache-2.0
 * Every kind of construct, before, around and after a call of omp_control_tool by which a tool may
 * begin to watch: with three threads, ten regions after it. */
#include <omp.h>
#include <stdio.h>

int control_tool(int command, int modifier, void *argument) __asm__("omp_control_tool")
    __attribute__((weak)); /* omp.h of some gcc declares it, with types of its own */

static int sum; /* atomic everywhere: what excludes the others differs from place to place */
static omp_lock_t lock;

static void add(int what) {
#pragma omp atomic
    sum += what;
}

static void all_constructs(void) {
    int copied = 0;
#pragma omp critical
    add(1);
#pragma omp single copyprivate(copied)
    copied = 7;
    omp_set_lock(&lock);
    add(copied);
    omp_unset_lock(&lock);
#pragma omp for schedule(dynamic) ordered
    for (int i = 0; i < 9; ++i) {
#pragma omp ordered
        add(i);
    }
#pragma omp single
    {
        for (int i = 0; i < 8; ++i) {
#pragma omp task firstprivate(i)
            add(i);
        }
#pragma omp taskwait
#pragma omp taskloop
        for (int i = 0; i < 8; ++i) {
            add(i);
        }
    }
#pragma omp sections
    {
#pragma omp section
        add(1);
#pragma omp section
        add(1);
    }
#pragma omp barrier
}

int main(void) {
    omp_set_num_threads(3);
    omp_set_dynamic(0);
    omp_init_lock(&lock);
#pragma omp parallel
    {
        all_constructs();
        /* One thread at a time: the others go on meanwhile. */
#pragma omp master
        if (control_tool) {
            control_tool(1, 0, NULL);
        }
        for (int i = 0; i < 20; ++i) {
            all_constructs();
        }
    }
    for (int i = 0; i < 10; ++i) {
#pragma omp parallel
        all_constructs();
    }
    printf("%d\n", sum);
    return 0;
}
