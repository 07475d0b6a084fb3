// SPDX-License-Identifier: Apache-2.0
//
// At what frequency the processors run that the process's threads are on, as the kernel shows it. A
// rank on slow processors keeps all others of its job waiting. Of the sampling thread alone.
#pragma once

namespace ompcollect {

// Of one thread that runs, the threads in turn: an idle processor is slow for no reason. One file
// is read, as some kernels sleep for 10 ms in each reading. Often at the begin, as runs may be
// short, and every two seconds later on.
void look_at_frequency();

// In a process that begins to sample, and in the child after fork().
void restart_frequency();

} // namespace ompcollect
