/* SPDX-License-Identifier: Apache-2.0
 *
 * workload.h - the programs that the checks run, as one table of functions in a module of its own.
 * The module is compiled by clang with -fopenmp and linked with no OpenMP library: its calls bind
 * to whatever runtime has been loaded before it. Programs tell the check where they are by calling
 * the functions of struct WorkloadHooks; n is always the number of threads to ask for.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

enum WorkloadPoint {
    kPointSerial = 0,   /* outside any region; a: 0 before, 1 after the regions */
    kPointBeforeRegion, /* about to meet a parallel construct; a: depth, b: serialised */
    kPointInRegion,     /* a: depth, counted from 1; b: thread number in the innermost team */
    kPointAfterRegion,  /* behind it; a: depth */
    kPointBeforeTask,   /* about to meet a task construct; a: depth, b: if(0) */
    kPointInTask,       /* a: depth, b: if(0) */
    kPointAfterTask,    /* the task has ended; a: depth */
    kPointOuterRegion,  /* of frames(); b: thread number */
    kPointInnerRegion,  /* of frames(): code C of the report's figure; b: outer thread number */
};

struct WorkloadHooks {
    void (*point)(enum WorkloadPoint where, int a, int b);
    /* For sampled programs. The thread that is sampled, number 0, calls arrive at the begin of each
     * phase (0: of none), right before it may wait; the thread that makes it wait calls hold, which
     * returns when enough has been seen of that phase. */
    void (*arrive)(int phase);
    void (*hold)(int phase);
    /* Gives up the processor; a thread that waits for another one calls it. Ends the process where
     * that has taken too long. */
    void (*patience)(const char *awaited);
};

struct Workload {
    void (*set_hooks)(const struct WorkloadHooks *hooks);
    void (*set_nesting)(int levels); /* 1: off */
    int (*initialise)(void);         /* any call that makes the runtime initialise itself */

    void (*nested)(int depth, int n);
    void (*serialised)(void); /* if(0), and inside a region a team of one */
    void (*tasks)(int n);     /* each thread some tasks, nested, one of them if(0) */
    void (*nested_tasks)(int depth);
    void (*frames)(void);
    void (*two_sizes)(int outer, int inner);

    /* Sampled. */
    void (*body)(void);
    void (*reduction)(void);
    void (*barrier_explicit)(void);
    void (*barrier_worksharing)(void);
    void (*barrier_join)(void);
    int (*taskwait)(void);  /* 0: no other thread has taken the task, so nobody waited */
    int (*taskgroup)(void); /* likewise */
    void (*lock)(void);
    void (*nest_lock)(void);
    void (*critical)(void);
    int (*atomic)(void); /* 0: the runtime has no atomic regions of its own */
    void (*ordered)(void);
};

/* The module's one symbol. */
#define WORKLOAD_SYMBOL "ompt_compliance_workload"
__attribute__((visibility("default"))) const struct Workload *ompt_compliance_workload(void);
typedef const struct Workload *(*GetWorkload)(void);

#ifdef __cplusplus
}
#endif
