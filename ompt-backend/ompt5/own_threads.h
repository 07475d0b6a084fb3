// SPDX-License-Identifier: Apache-2.0
// The runtime's own threads: those that libomp makes for `target nowait` (hidden helpers). Their
// team is no region of the program's: they have no record, get no events and answer IDLE. While one
// executes a task of the program's it has a record, in the region that created the task.
//
// What is here belongs to the runtime that we are attached to. Callbacks only, but for
// is_runtimes_own.
#pragma once

#include "base/compiler.h"
#include "spec/ompt5.h"
#include "tracker/tracker.h"

#include <atomic>

namespace ocb::ompt5 {

extern constinit thread_local bool is_runtimes_own __attribute__((tls_model("initial-exec")));

namespace own_threads {

// Stands in the place of a region's word, for a team of the runtime's own threads.
constexpr std::uint64_t kTeamWord = kLeagueBit;

// Whether a fork at this address inside the runtime is the runtime's own. It may also be the
// program's, by one of the runtime's functions.
[[nodiscard]] bool forks_itself(const void *codeptr_ra);

// On the thread that forks such a team, and on each that enters it.
void fork(tracker::RegionWord &region_word);
void enter();

// Called where any thread creates a task, or has finished one. Does nothing where the runtime has
// no threads of its own.
extern constinit std::atomic<bool> there_are_any OCB_INTERNAL;
void keep_region_of(const ompt_data_t *task);
void forget_region_of(const ompt_data_t *task);
inline void task_created(const ompt_data_t *task) {
    if (there_are_any.load(std::memory_order_relaxed)) [[unlikely]] {
        keep_region_of(task);
    }
}
inline void task_finished(const ompt_data_t *task) {
    if (there_are_any.load(std::memory_order_relaxed)) [[unlikely]] {
        forget_region_of(task);
    }
}

// One of the runtime's own threads enters a task. True if it is the program's: then the thread has
// a record until it leaves the task.
[[nodiscard]] bool enter_task(const ompt_data_t *task);

void reset_after_fork();

} // namespace own_threads
} // namespace ocb::ompt5
