// SPDX-License-Identifier: Apache-2.0
// What the bridge asks of a backend. ompt-backend/ implements it, by an adapter for each generation
// of OMPT: attach() in entry/start.cpp, describe_here() in entry/runtime_report.cpp, the rest in
// attachment/attachment.cpp. The backend reports through tracker/tracker.h. No OMPT type appears
// here.
#pragma once

#include "base/ids.h"
#include "omp_collector_bridge.h"

#include <cstdint>

namespace ocb {

// What must be observed, as a bit mask. A session begins with regions, and adds the rest when its
// collector asks for it.
using Needs = std::uint32_t;
constexpr Needs kNeedRegions = 1U << 0; // fork, join, who is in which team
constexpr Needs kNeedWaits = 1U << 1;   // barriers, taskwait
constexpr Needs kNeedMutexes = 1U << 2; // locks, critical, atomic, ordered
constexpr Needs kNeedReductions = 1U << 3;
constexpr Needs kNeedSingle = 1U << 4;
constexpr Needs kNeedMaster = 1U << 5;
constexpr Needs kNeedTasks = 1U << 6; // explicit tasks, with ids
// Switches from one task to another. STATE needs them where it cannot ask for the current task.
constexpr Needs kNeedTaskSwitches = 1U << 7;
constexpr Needs kNeedAll = ~0U;
constexpr Needs kNeedState = kNeedWaits | kNeedMutexes | kNeedReductions;

enum class AttachResult : std::uint8_t {
    kAttached,      // the runtime serves us
    kNoRuntimeYet,  // none, or one left alone: we attach when the program uses it
    kTooLate,       // a runtime is there and cannot be attached any more
    kNeverPossible, // only runtimes without a tools interface
};

// Facts cost calls of the runtime. kRuntimesState: its state, for a thread that the runtime knows.
// kState: the region too, for any thread. kParent: the region around that one too.
enum class FactsFor : std::uint8_t { kRuntimesState, kState, kParent };

// What the runtime itself reports of the calling thread, already in the Collector API's terms.
struct ThreadFacts {
    bool is_openmp_thread = false;
    bool is_worker = false; // recruited from the runtime's pool
    bool is_master = false; // of its innermost team
    int state = 0;          // OMP_COLLECTOR_API_THR_STATE, or 0 where the runtime reports "working"
    bool at_region_end = false;
    bool region_ended = false;
    WaitId wait_id = WaitId::kNone;
    RegionId region_id = RegionId::kNone;
    RegionId parent_id = RegionId::kNone;
    std::uint64_t region_word = 0; // of a region with an id: what records/region.h keeps there
};

namespace runtime {

// Makes a loaded runtime initialise where the answer needs it and OCB_INIT allows it. Logs the
// cause of a refusal. Any thread, not in a signal handler.
[[nodiscard]] AttachResult attach();

// True between the runtime's initialisation of our tool and its end.
[[nodiscard]] bool is_attached();

// Makes the runtime report everything in wanted_needs(). Any thread. Async-signal-safe: where
// another thread is doing it, this returns and that thread finishes the work.
void observe_wanted();
[[nodiscard]] Needs wanted_needs();
void want(Needs needs);
// The needs that the runtime reports completely: then a thread's record knows all its waits.
[[nodiscard]] Needs reported_needs();

// Adapts a capability row to the runtime at hand, as far as that has been asked. Where the runtime
// refuses the callbacks of `needs`, the status becomes lower, and the reason names the refusal. An
// older generation of OMPT has reasons of its own.
enum class Service : std::uint8_t { kFull, kPartial, kNone };
void describe_here(omp_collector_bridge_capability &row, Needs needs);

// Async-signal-safe. All zero where the thread is unknown to the runtime.
[[nodiscard]] ThreadFacts facts_of_caller(FactsFor what);

// The caller's region `level` levels out, if the runtime has not reported it; kNone: it has. Before
// OpenMP 5 libomp does not report regions of if(0). Async-signal-safe.
[[nodiscard]] RegionId unreported_region(int level);

// Whether the runtime reports every thread from here on, before the thread does anything.
[[nodiscard]] bool reports_threads();
// Whether it reports everything that STATE needs, from here on.
[[nodiscard]] bool reports_states();

// Whether the runtime's state of the calling thread is a wait for a mutex, of any kind. Not every
// kind of lock shows that. Async-signal-safe.
[[nodiscard]] bool caller_waits_for_mutex();

// The place where the runtime keeps the frame of the program's function in the caller's implicit
// task. Its content is null while the function does not execute. Valid while the task exists. Null:
// no implicit task, or not known. Async-signal-safe.
using FunctionFrame = void *const *;
[[nodiscard]] FunctionFrame function_frame_of_caller();

// Whether the calling thread executes an explicit task, and whether that began inside of the call
// with this frame (0: no call). Otherwise, or where that is not known, the task is around the call.
// Async-signal-safe.
enum class TaskPlace : std::uint8_t { kNoTask, kAroundCall, kInsideCall };
[[nodiscard]] TaskPlace task_of_caller(std::uintptr_t call_frame);

// The same of a thread whose last report is that it waits in a barrier.
[[nodiscard]] TaskPlace task_in_barrier(std::uintptr_t call_frame);

// In a forked child, which has no other threads.
void reset_after_fork();

// Builds the calling thread's record from what the runtime knows, where it has none. Not in a
// signal handler.
void register_caller_late();

} // namespace runtime
} // namespace ocb
