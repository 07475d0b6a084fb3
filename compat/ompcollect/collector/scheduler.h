// SPDX-License-Identifier: Apache-2.0
//
// What the kernel's scheduler says of a thread, through /proc. Each call opens what it reads: no
// descriptor is kept that the program might close.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ompcollect {

// The beginning of /proc/self/task/TID/NAME, as a text. False: there is none.
bool read_task_file(int tid, const char *name, char *text, size_t size);

// How long the thread has waited for a processor so far. False: the kernel does not tell.
bool waited_for_processor(int tid, uint64_t &ns);

// The processor that it ran on last; -1: the kernel does not tell.
int last_processor(int tid);

} // namespace ompcollect
