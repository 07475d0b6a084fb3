// SPDX-License-Identifier: Apache-2.0
//
// CPU frequency under the process's threads, as the kernel shows it. A rank on slow processors
// keeps all others of its job waiting. For the sampling thread alone.
#pragma once

namespace ompcollect {

// Looks under one running thread at a time, in turn, as idle processors are slow on purpose. Reads
// one file, as some kernels sleep for 10 ms in each read. Often at the begin, as runs may be short,
// and every two seconds later on.
void look_at_frequency();

// In a process that begins to sample, and in the child after fork().
void restart_frequency();

} // namespace ompcollect
