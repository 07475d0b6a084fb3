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

// Casts a function for a row of a table. A macro: only so both compilers make the row a constant,
// which it must be, as requests may come before constructors (check.init-array).
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

// A capability that differs from the rows of tables.h and capabilities.cpp, which are for OpenMP 5.
// `callbacks`: the numbers of those without which the answer is not observable. Where there are
// none, the row's needs decide.
struct CapabilityOverride {
    static constexpr int kMostCallbacks = 3;

    omp_collector_bridge_kind kind;
    int number;
    omp_collector_bridge_status status;
    const char *reason; // null: status and reason are those of the table
    int callbacks[kMostCallbacks];
    // Returns why the runtime does not give this answer although it has accepted the callbacks,
    // once that is known; else null.
    const char *(*silence)();
};

struct Adapter {
    const char *name;
    std::span<const CallbackRow> callbacks;
    std::span<const SetResult> results; // by the value
    std::span<const CapabilityOverride> overrides;

    // Callbacks can be set inside the initializer only, so all are registered there. The event mask
    // filters what no collector has asked for.
    bool registers_at_once;
    // The needs whose callbacks report all waits of a thread, so that STATE need not ask the
    // runtime.
    Needs reported_by_callbacks;
    // Whether each thread is reported before its first task: then an unknown one has no OpenMP.
    bool reports_threads;
    int first_mutex_state, last_mutex_state; // of ompt_get_state

    int (*set_callback)(const CallbackRow &row);
    ThreadFacts (*facts_of_caller)(FactsFor what);
    void (*register_caller_late)();
    // The caller's region `level` levels out, if the runtime has not reported it. A null function:
    // it reports all.
    RegionId (*unreported_region)(int level) = nullptr;
    // Null: all tasks are to be reported.
    runtime::TaskPlace (*task_of_caller)(std::uintptr_t call_frame) = nullptr;
    runtime::TaskPlace (*task_in_barrier)(std::uintptr_t call_frame) = nullptr;
    // Null: the runtime does not show it.
    runtime::FunctionFrame (*function_frame_of_caller)() = nullptr;
    void (*reset_after_fork)();
};

constexpr std::size_t kMostCallbacks = 64; // rows of any adapter

// The adapter of OpenMP 5, which is expected until a runtime asks by another form
// (ompt5/adapter.cpp).
extern const Adapter kExpectedAdapter;

// All there are, the newest first.
[[nodiscard]] std::span<const Adapter *const> all_adapters();

} // namespace ocb::ompt
