/* SPDX-License-Identifier: Apache-2.0
 * A little of everything that OMPT reports, in an order that is the same in every run: two threads,
 * and whatever they do side by side does not depend on who is first.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* libgomp's header lacks it; libomp, which will be there, has it. */
extern int omp_control_tool_(int command, int modifier, void *argument) __asm__("omp_control_tool")
    __attribute__((weak));
enum { FLUSH = 3 };

static int arrived;

static void meet(int count) {
    __atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < count) {
        usleep(50);
    }
}

/* More arguments than registers: clang hands each variable to the fork. */
static void fork_with_many_arguments(int *sum) {
    int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7;
#pragma omp parallel num_threads(1)
    if (a + b + c + d + e + f + g != 28) {
        *sum += 1000;
    }
}

/* Tasks with dependences, in a team of one, so that they run in order. */
static void run_tasks_in_order(int *x, int *sum) {
#pragma omp parallel num_threads(1)
    {
#pragma omp task depend(out : *x)
        *x += 1;
#pragma omp task depend(in : *x)
        *sum += *x;
#pragma omp taskwait
#pragma omp taskgroup
#pragma omp task untied
        *sum += 1;
    }
}

int main(void) {
    omp_lock_t lock;
    omp_nest_lock_t nest_lock;
    int sum = 0, x = 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
#pragma omp barrier
    for (int round = 0; round < 3; ++round) {
        arrived = 0;
#pragma omp parallel num_threads(2)
        {
            const int thread = omp_get_thread_num();
#pragma omp master
            sum += 1;
            meet(2);
#pragma omp barrier
            if (thread == 0) {
                omp_set_nest_lock(&nest_lock);
                omp_set_nest_lock(&nest_lock);
                omp_unset_nest_lock(&nest_lock);
                omp_unset_nest_lock(&nest_lock);
                if (omp_test_lock(&lock)) {
                    omp_unset_lock(&lock);
                }
            }
            meet(4);
#pragma omp for schedule(static) reduction(+ : x)
            for (int i = 0; i < 8; ++i) {
                x += i;
            }
            meet(6);
            if (thread == 1) {
#pragma omp critical
                sum += 1;
#pragma omp task if (0)
                sum += 1;
#pragma omp parallel num_threads(2)
#pragma omp atomic
                sum += 1;
            }
            meet(8);
#ifdef __clang__ /* gcc's are dealt to whoever comes first */
#pragma omp sections
            {
                meet(10);
#pragma omp section
                meet(10);
            }
#endif
        }
    }
    fork_with_many_arguments(&sum);
    run_tasks_in_order(&x, &sum);
    const int control = omp_control_tool_(FLUSH, 7, NULL);
    printf("sum %d x %d control %d\n", sum, x, control);
    return 0;
}
