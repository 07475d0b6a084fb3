// SPDX-License-Identifier: Apache-2.0
// One generation of OMPT as the rest of the backend sees it. Each has a folder with its callbacks,
// its facts and one constant Adapter; entry.cpp finds out which one a runtime speaks, and from then
// on attachment.cpp and runtime_report.cpp go by the adapter's members and ask for no version.
// The list of all of them stands in entry/adapters.cpp, above the generations.
#pragma once

#include "omp_collector_bridge.h"
#include "runtime.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace ocb::ompt {

using Function = void (*)();
using Lookup = Function (*)(const char *name);

// A function of any type as a row of a table has it. A macro, as only so both compilers make the
// row a constant: in a static library requests come before constructors (check.init-array).
#define OCB_OMPT_FUNCTION(...) reinterpret_cast<ocb::ompt::Function>(__VA_ARGS__)

struct CallbackRow {
    int number; // of the generation
    const char *name;
    Function function;
    Needs needs;             // registered when one of these is wanted
    bool mends_only = false; // no answer becomes less where the runtime does not report it
};

// What an answer of ompt_set_callback means.
struct SetResult {
    const char *name;
    runtime::Service service;
};

// Where an answer of the Collector API comes from where tables.h and capabilities.cpp do not hold:
// they are about OpenMP 5. `callbacks`: without these, by number, it is not observable; where there
// are none the row's needs decide.
struct CapabilityOverride {
    static constexpr int kMostCallbacks = 3;

    omp_collector_bridge_kind kind;
    int number;
    omp_collector_bridge_status status;
    const char *reason; // null: status and reason are those of the table
    int callbacks[kMostCallbacks];
    // Why the runtime is known by now not to give this answer, though it has accepted the
    // callbacks; null, or a null function: nothing is known.
    const char *(*silence)();
};

struct Adapter {
    const char *name;
    std::span<const CallbackRow> callbacks;
    std::span<const SetResult> results; // by the value
    std::span<const CapabilityOverride> overrides;

    // Callbacks can be set inside the initializer only, so all are registered at once; the event
    // mask filters what nobody has asked for.
    bool registers_at_once;
    // The needs whose callbacks report a thread's waits so fully that STATE need not ask the
    // runtime.
    Needs reported_by_callbacks;
    // Each thread before its first task, so that one that has not been reported has no OpenMP.
    bool reports_threads;
    int first_mutex_state, last_mutex_state; // of ompt_get_state

    int (*set_callback)(const CallbackRow &row);
    ThreadFacts (*facts_of_caller)(FactsFor what);
    void (*adopt_caller)();
    // The caller's region, so many levels out, if the runtime has not reported it; null: it reports
    // all.
    RegionId (*unreported_region)(int level) = nullptr;
    // Null: all tasks are to be reported.
    runtime::TaskPlace (*task_of_caller)(std::uintptr_t call_frame) = nullptr;
    runtime::TaskPlace (*task_in_barrier)(std::uintptr_t call_frame) = nullptr;
    // Null: nobody knows.
    runtime::FunctionFrame (*function_frame_of_caller)() = nullptr;
    void (*reset_after_fork)();
};

constexpr std::size_t kMostCallbacks = 64; // rows of any adapter

// Of OpenMP 5, which is expected until a runtime speaks another (ompt5/adapter.cpp).
extern const Adapter kExpectedAdapter;

// All there are, the newest first.
[[nodiscard]] std::span<const Adapter *const> all_adapters();

} // namespace ocb::ompt
