// SPDX-License-Identifier: Apache-2.0
//
// What the kernel's scheduler shows of a thread, through /proc. For the sampling thread, as
// task_files.h is.
#pragma once

#include <cstdint>

namespace ompcollect {

// How long the thread has waited for a processor so far. False: the kernel does not show it.
bool wait_for_processor(int tid, uint64_t &ns);
// How long the calling thread has waited, whoever it is. 0: not known.
uint64_t own_wait_for_processor();

// The processor on which it runs, or is ready to; -1: it does neither.
int running_processor(int tid);

} // namespace ompcollect
