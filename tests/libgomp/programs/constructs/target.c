/* SPDX-License-Identifier: Apache-2.0
 * Target constructs on the host, and a region in an exit handler behind them: libgomp cannot run it
 * if its threads have been released before. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static void at_exit(void) {
    int members = 0;
#pragma omp parallel num_threads(3) reduction(+ : members)
    members += 1;
    printf("at exit %d\n", members);
}

/* With data of each kind; outside a region, as libgomp now and then never wakes a team that has
 * such tasks. */
static void run_target_tasks(void) {
    int sum = 0;
    struct {
        long numbers[20];
    } copied = {{1, 2, 3}};
    double array[100] = {0};
    for (int i = 0; i < 8; i++) {
#pragma omp target nowait map(tofrom : sum, array [0:100]) firstprivate(copied, i)
        {
            sum += (int)copied.numbers[2] + i;
            array[i] = i;
            copied.numbers[2] = 100;
        }
        copied.numbers[2] = 50;
#pragma omp taskwait
        copied.numbers[2] = 3;
    }
#pragma omp task final(1) shared(sum)
    {
#pragma omp target nowait map(tofrom : sum)
        sum += 1000;
    }
#pragma omp taskwait
    printf("target tasks %d %g\n", sum, array[7]);
}

int main(void) {
    atexit(at_exit);
    int tg = 0;
#pragma omp target map(tofrom : tg)
    {
#pragma omp parallel num_threads(2)
#pragma omp atomic
        tg++;
    }
#pragma omp target teams distribute parallel for map(tofrom : tg) reduction(+ : tg)
    for (int i = 0; i < 10; i++) {
        tg += i;
    }
#pragma omp target nowait map(tofrom : tg) depend(out : tg)
    tg += 1;
#pragma omp taskwait
    printf("target %d %d\n", tg >= 46, tg - 1 >= 46);
    run_target_tasks();
    return 0;
}
