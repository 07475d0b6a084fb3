/* SPDX-License-Identifier: Apache-2.0
 * A libgomp of a later day. It runs regions on one thread, and has entries that no libgomp before
 * gcc 17 has. As it stands it asks for tools itself: what stands in front of it must step aside,
 * and start no tool. With WITHOUT_OMPT it has the entries alone, as gcc 17's in development. */
#include <stdio.h>
#include <stdlib.h>

#ifdef WITHOUT_OMPT
static const char *volatile variable = "OMP_NUM_THREADS";

int omp_control_tool(int command, int modifier, void *argument);
int omp_control_tool(int command, int modifier, void *argument) {
    (void)command, (void)modifier, (void)argument;
    return -2; /* no tool */
}
#else
static const char *volatile variable = "OMP_TOOL_LIBRARIES";
#endif

void GOMP_barrier_ext(int kind);
void GOMP_barrier_ext(int kind) {
    (void)kind;
}

_Bool GOMP_barrier_cancel_ext(int kind);
_Bool GOMP_barrier_cancel_ext(int kind) {
    return kind == 1;
}

/* Constructs with an end, by one thread. */
typedef unsigned long long Share; /* the thread's number, and in the lower half the team's size */
#define NOTHING(name)                                                                              \
    void name(void);                                                                               \
    void name(void) {}
#define SHARE(name)                                                                                \
    Share name(Share count);                                                                       \
    Share name(Share count) {                                                                      \
        (void)count;                                                                               \
        return 1;                                                                                  \
    }
#define CHUNK(name)                                                                                \
    void name(Share start, Share iterations);                                                      \
    void name(Share start, Share iterations) {                                                     \
        (void)start, (void)iterations;                                                             \
    }
SHARE(GOMP_loop_static_worksharing_start)
CHUNK(GOMP_loop_static_worksharing_dispatch)
NOTHING(GOMP_loop_static_worksharing_end)
SHARE(GOMP_distribute_static_worksharing_start)
CHUNK(GOMP_distribute_static_worksharing_dispatch)
NOTHING(GOMP_distribute_static_worksharing_end)
NOTHING(GOMP_single_end)
NOTHING(GOMP_scope_end)
NOTHING(GOMP_masked_end)
NOTHING(GOMP_reduction_start)
NOTHING(GOMP_reduction_end)

_Bool GOMP_single_start_with_end(void);
_Bool GOMP_single_start_with_end(void) {
    return 1;
}

void GOMP_scope_start_with_end(void *reductions);
void GOMP_scope_start_with_end(void *reductions) {
    (void)reductions;
}

_Bool GOMP_has_masked_thread_num_with_end(int filter);
_Bool GOMP_has_masked_thread_num_with_end(int filter) {
    return filter == 0;
}

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
    (void)threads;
    (void)flags;
    if (getenv(variable) != NULL) {
        printf("own\n");
    }
    function(data);
}

int omp_get_num_procs(void);
int omp_get_num_procs(void) {
    return 1;
}
