// SPDX-License-Identifier: Apache-2.0
//
// Where the calling thread's stack lies, by the C library. glibc allocates memory for its answer,
// and a thread that has allocated none then gets 64 MB of addresses of its own. So one answer shows
// where the bounds lie in the descriptor of a thread, and others are read there.
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

// Has the library answer for this thread, which runs and is not the process's first: then
// own_stack() need not ask. Without it the first threads do.
void learn_from_stack_of(pthread_t thread);

} // namespace ompcollect
