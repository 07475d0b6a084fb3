/* SPDX-License-Identifier: Apache-2.0
 * barrier_kinds - calls barriers as gcc 17 does, with their kinds; is linked with no runtime that
 * has them (own_ompt.c is preloaded). */
#include <stdbool.h>
#include <stdio.h>

void GOMP_barrier_ext(int kind) __attribute__((weak));
bool GOMP_barrier_cancel_ext(int kind) __attribute__((weak));

int main(void) {
    enum { kImplicitParallel, kImplicitWorkshare, kExplicit, kLater = 9 };
    bool is_cancelled[2];
    if (!GOMP_barrier_ext || !GOMP_barrier_cancel_ext) {
        return 1;
    }
#pragma omp parallel
    {
        GOMP_barrier_ext(kImplicitParallel);
        GOMP_barrier_ext(kImplicitWorkshare);
        GOMP_barrier_ext(kExplicit);
        GOMP_barrier_ext(kLater);
        is_cancelled[0] = GOMP_barrier_cancel_ext(kImplicitWorkshare);
        is_cancelled[1] = GOMP_barrier_cancel_ext(kExplicit);
    }
    printf("%d %d\n", is_cancelled[0], is_cancelled[1]);
    return 0;
}
