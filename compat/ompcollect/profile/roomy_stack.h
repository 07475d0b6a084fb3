// SPDX-License-Identifier: Apache-2.0
//
// Room for what needs a stack of tens of kilobytes, on threads that may have 16 in all: loading
// libraries, names of files, the beginning of a profile. Where the thread's own stack may be too
// short the function runs on one that is mapped for it; on other machines than x86-64 and aarch64
// it never does. Not in a signal handler.
#pragma once

namespace ompcollect {

// Also on a stack whose bounds are not known, a coroutine's.
bool stack_may_be_short();

// The calling thread calls function(data).
void call_with_room(void (*function)(void *), void *data);

template <class Function> void with_room(Function function) {
    call_with_room([](void *data) { (*static_cast<Function *>(data))(); }, &function);
}

} // namespace ompcollect
