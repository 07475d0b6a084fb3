/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two sources of the workload share.
 */
#ifndef OMPT_COMPLIANCE_WORKLOAD_PARTS_H
#define OMPT_COMPLIANCE_WORKLOAD_PARTS_H

#include "workload.h"

extern struct WorkloadHooks workload_hooks;

/* Until the flag has at least this value; gives up after a while, naming what it waited for. */
void workload_wait(volatile int *flag, int value, const char *awaited);
void workload_raise(volatile int *flag, int value);

void sampled_body(void);
void sampled_reduction(void);
void sampled_barrier_explicit(void);
void sampled_barrier_worksharing(void);
void sampled_barrier_join(void);
int sampled_taskwait(void);
int sampled_taskgroup(void);
void sampled_lock(void);
void sampled_nest_lock(void);
void sampled_critical(void);
int sampled_atomic(void);
void sampled_ordered(void);

#endif
