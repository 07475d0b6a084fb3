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
    return 0;
}
