// SPDX-License-Identifier: Apache-2.0
//
// Is this the process whose profile is kept? Children have our memory in any state: one of vfork()
// or clone(CLONE_VM) shares it, one of _Fork() or clone() has a copy that no handler of fork() has
// set right. They keep no profile and touch nothing of their parent's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ompcollect {

// kIdle: before the first event. kFailed: no profile can be kept.
enum class Stage : int { kOff, kIdle, kBeginning, kRuns, kFailed };

// What the process is at. The kernel sets it to kOff in a child that has a copy of our memory.
inline std::atomic<Stage> &current_stage() {
    extern constinit std::atomic<Stage> *stage_of_process;
    return *stage_of_process;
}

// When the collector has been loaded, and in the child after fork().
void claim_process();
// Not in a child that shares our memory.
[[nodiscard]] bool is_own_process();

// The file that it runs, as a text, or as exec got it where links cannot be read; else empty.
void name_own_program(char *path, std::size_t size);

} // namespace ompcollect
