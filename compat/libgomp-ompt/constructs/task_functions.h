// SPDX-License-Identifier: Apache-2.0
// Functions of tasks whose events nobody wants. libgomp gets a stub as the task's function, and the
// program's data as they are: nothing is copied, and nothing is known of the task until it runs.
//
// There is a stub for each function and flags. It calls an address, so it stays right where a
// library is closed and another one comes to its place. Stubs are never given back.
#pragma once

#include "records.h"

namespace ocb::gomp {

struct alignas(32) TaskFunction {
    std::atomic<std::uint64_t> key; // of function and flags; 0: free
    Outlined function;
    Outlined stub; // for libgomp
    int flags;     // OMPT's
};

inline constexpr unsigned kTaskFunctions = 128; // a power of two
extern TaskFunction task_functions[kTaskFunctions] OCB_HIDDEN;

// The four flags that differ between explicit tasks.
inline std::uint64_t task_kind(int flags) {
    constexpr unsigned kFirstFlag = 27;
    static_assert(ompt_task_undeferred == 1 << kFirstFlag && kTaskMergeable == 1 << 30);
    return static_cast<unsigned>(flags) >> kFirstFlag;
}
inline std::uint64_t task_key(Outlined function, int flags) {
    constexpr unsigned kKindShift = 60; // no function is there
    return id_of(reinterpret_cast<const void *>(function)) | task_kind(flags) << kKindShift;
}
// Where it is looked for first.
inline std::uint64_t task_function_place(Outlined function, int flags) {
    constexpr unsigned kAlignment = 4; // of functions
    return (id_of(reinterpret_cast<const void *>(function)) >> kAlignment) ^ task_kind(flags);
}

// Null: its stub has not been looked for yet, or is not where it is looked for first.
OCB_INLINE const TaskFunction *known_function(Outlined function, int flags) {
    const TaskFunction &known =
        task_functions[task_function_place(function, flags) % kTaskFunctions];
    return known.key.load(std::memory_order_acquire) == task_key(function, flags) ? &known
                                                                                  : nullptr;
}
// Null: there is no stub left.
Outlined stub_of(Outlined function, int flags);

// What stubs call: task.cpp.
void run_quietly(void *data, const TaskFunction &function);

} // namespace ocb::gomp
