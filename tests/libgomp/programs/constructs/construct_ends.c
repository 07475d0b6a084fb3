/* SPDX-License-Identifier: Apache-2.0
 * construct_ends - calls begins and ends of constructs as gcc 17 does with -fopenmp-ompt=extended;
 * is linked with no runtime that has them (own_ompt.c is preloaded). */
#include <stdbool.h>
#include <stdio.h>

#define WEAK __attribute__((weak))
typedef unsigned long long ull;
bool GOMP_single_start_with_end(void) WEAK;
void GOMP_single_end(void) WEAK;
ull GOMP_loop_static_worksharing_start(ull count) WEAK;
void GOMP_loop_static_worksharing_dispatch(ull start, ull iterations) WEAK;
void GOMP_loop_static_worksharing_end(void) WEAK;
ull GOMP_distribute_static_worksharing_start(ull count) WEAK;
void GOMP_distribute_static_worksharing_dispatch(ull start, ull iterations) WEAK;
void GOMP_distribute_static_worksharing_end(void) WEAK;
void GOMP_scope_start_with_end(void *reductions) WEAK;
void GOMP_scope_end(void) WEAK;
bool GOMP_has_masked_thread_num_with_end(int filter) WEAK;
void GOMP_masked_end(void) WEAK;
void GOMP_reduction_start(void) WEAK;
void GOMP_reduction_end(void) WEAK;
void GOMP_barrier_ext(int kind) WEAK;

static int executed;

static void loop(ull iterations) {
    const ull share = GOMP_loop_static_worksharing_start(iterations);
    executed += (int)share;
    GOMP_loop_static_worksharing_dispatch(0, iterations / 2);
    GOMP_loop_static_worksharing_dispatch(iterations / 2, iterations - iterations / 2);
}

int main(void) {
    enum { kImplicitWorkshare = 1 };
#pragma omp parallel
    {
        executed += GOMP_single_start_with_end();
        GOMP_single_end();
        /* The end is called for behind the barrier. */
        loop(7);
        GOMP_barrier_ext(kImplicitWorkshare);
        GOMP_loop_static_worksharing_end();
        /* A loop without one, in a scope in a scope. */
        GOMP_scope_start_with_end(NULL);
        GOMP_scope_start_with_end(NULL);
        loop(8);
        GOMP_loop_static_worksharing_end();
        GOMP_scope_end();
        GOMP_scope_end();
        if (GOMP_has_masked_thread_num_with_end(0)) {
            ++executed;
            GOMP_masked_end();
        }
        if (GOMP_has_masked_thread_num_with_end(1)) {
            executed += 100;
            GOMP_masked_end();
        }
        GOMP_reduction_start();
        ++executed;
        GOMP_reduction_end();
        executed += (int)GOMP_distribute_static_worksharing_start(9);
        GOMP_distribute_static_worksharing_dispatch(0, 9);
        GOMP_distribute_static_worksharing_end();
    }
    printf("%d\n", executed);
    return 0;
}
