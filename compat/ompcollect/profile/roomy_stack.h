// SPDX-License-Identifier: Apache-2.0
//
// A larger stack for functions that need tens of kilobytes, on threads that may have 16 in all:
// loading libraries, names of files, the begin of a profile. Where the thread's own stack may be
// too short, the function runs on a stack that is mapped for it. Only on x86-64 and aarch64; not in
// a signal handler.
#pragma once

namespace ompcollect {

// True also for a stack whose bounds are not known, such as a coroutine's.
bool stack_may_be_short();

// The calling thread calls function(data).
void call_with_room(void (*function)(void *), void *data);

template <class Function> void with_room(Function function) {
    call_with_room([](void *data) { (*static_cast<Function *>(data))(); }, &function);
}

} // namespace ompcollect
