// SPDX-License-Identifier: Apache-2.0
//
// What the kernel's scheduler says of a thread, through /proc. Each call opens what it reads: no
// descriptor is kept that the program might close.
#pragma once

#include <cstdint>

namespace ompcollect {

// How long the thread has waited for a processor so far. False: the kernel does not tell.
bool waited_for_processor(int tid, uint64_t &ns);

// Asleep, as opposed to running or waiting for a processor. kNotKnown: the kernel does not tell.
enum class Rest { kAsleep, kRunnable, kNotKnown };
Rest rest_of(int tid);

// The processor that it ran on last; -1: the kernel does not tell.
int last_processor(int tid);

} // namespace ompcollect
