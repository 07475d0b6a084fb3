// SPDX-License-Identifier: Apache-2.0
// The entry points that a runtime with OpenMP 5 or TR6 provides, and what else was found out
// about it when it initialised us. Written then, constant while the tool is attached.
#pragma once

#include "base/compiler.h"
#include "spec/ompt5.h"
#include "tracker/tracker.h"

#include <cstdint>

namespace ocb::ompt5 {

struct EntryPoints {
    ompt_set_callback_t set_callback = nullptr;
    ompt_get_state_t get_state = nullptr;
    ompt_get_task_info_t get_task_info = nullptr;
    ompt_get_thread_data_t get_thread_data = nullptr;
    // The program's own questions: ompt_get_task_info of libomp 6 leaves thread_num as it is.
    int (*get_level)() = nullptr;
    int (*get_ancestor_thread_num)(int level) = nullptr;
};
extern constinit EntryPoints entry_points OCB_INTERNAL;

// False, rejected, if the runtime lacks one of them.
[[nodiscard]] bool find_entry_points(ompt_function_lookup_t lookup);

// Code ranges of the runtime's test_lock and test_nest_lock. libomp before 17 reports their
// attempts as if they were going to wait; the return address distinguishes them.
struct CodeRange {
    std::uintptr_t begin = 0, size = 0;
    bool holds(const void *address) const {
        return reinterpret_cast<std::uintptr_t>(address) - begin < size;
    }
};
extern constinit CodeRange test_lock_code OCB_INTERNAL, test_nest_lock_code OCB_INTERNAL;

// All of the runtime's code, where it is a library of its own; else empty.
extern constinit CodeRange runtime_code OCB_INTERNAL;

// All code of the library that reports for libgomp, in which the front is too; else empty.
extern constinit CodeRange provider_code OCB_INTERNAL;

// It is libomp, which needs its first thread to report the release of a critical region
// (first_thread.h).
extern constinit bool reads_first_thread OCB_INTERNAL;

// libomp's names for implementations of a mutex: 1 spins, 2 queues, 3 speculates. With
// KMP_LOCK_KIND=futex locks without a queue are reported as queuing, so none is taken for one.
constexpr unsigned kQueuing = 2, kNoneQueues = ~0U;
extern constinit unsigned queuing_implementation OCB_INTERNAL;

// Of deferred tasks: whether a worker's end of a region that created them is reported in time, as
// libomp does.
extern constinit tracker::TaskKind deferred_kind OCB_INTERNAL;

} // namespace ocb::ompt5
