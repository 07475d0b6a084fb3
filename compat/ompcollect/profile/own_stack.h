// SPDX-License-Identifier: Apache-2.0
//
// The bounds of the calling thread's stack. glibc allocates memory for this question, and a
// thread's first allocation takes 64 MB of addresses. So glibc is asked once, which shows where a
// thread's descriptor has the bounds. Later they are read there.
#pragma once

#include <cstdint>
#include <pthread.h>

namespace ompcollect {

struct StackBounds {
    uintptr_t low; // [low, high): the stack; both 0: not known
    uintptr_t high;
};

// Not in a signal handler.
StackBounds own_stack();

// Asks the library for this thread, which runs and is not the process's first. Then own_stack()
// need not ask it. Without this call the first threads ask.
void learn_from_stack_of(pthread_t thread);

} // namespace ompcollect
