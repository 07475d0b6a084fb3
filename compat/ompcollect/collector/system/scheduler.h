// SPDX-License-Identifier: Apache-2.0
//
// What the kernel's scheduler shows of a thread, through /proc. For the sampling thread, as
// task_files.h is.
#pragma once

#include <cstdint>

namespace ompcollect {

// What the thread has had of processors so far: how long it has run, how long it has waited for
// one, and in how many turns it ran. False: the kernel does not show it.
struct RunQueue {
    uint64_t ran_ns;
    uint64_t waited_ns;
    uint64_t turns;
};
bool run_queue_of(int tid, RunQueue &to);
// How long the calling thread has waited, whoever it is. 0: not known.
uint64_t own_wait_for_processor();

// The processor that it ran on last; -1: the kernel does not show it.
int last_processor(int tid);
// The processor on which it runs, or is ready to; -1: it does neither.
int running_processor(int tid);

} // namespace ompcollect
