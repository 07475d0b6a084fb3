// SPDX-License-Identifier: Apache-2.0
// The libgomp behind this library: its functions, and which libgomp a caller means. A process may
// hold several, each known to its own callers only. runtime.cpp owns the tables; they are written
// once, under its lock.
#pragma once

#include <atomic>
#include <cstdint>

namespace ocb::gomp {

enum Function : int {
#define ENTRY(name)  k_##name,
#define LOCK(name)   k_##name, k_##name##_old,
#define CALLED(name) k_##name,
#include "entries.inc"
    kFunctionCount
};

struct Runtime {
    void *functions[kFunctionCount]; // null: this libgomp has none of that name
    bool is_observed;                // it is a libgomp without OMPT and there is a tool
    bool is_libgomp;
    std::uintptr_t base; // of the object that it lies in
};

// Whose runtime a call means.
enum Mode : int {
    kUndecided, // nobody has called yet
    kDirect,    // one runtime for all callers, not observed
    kObserved,  // one runtime for all callers, observed
    kByCaller,  // runtimes that only some callers see
};
extern std::atomic<int> mode;
extern Runtime shared_runtime; // of kDirect and kObserved

// The runtime of the caller whose code is at `code`, which has called `function`. The first call of
// the process starts the tool. Ends the process if no runtime has the function, as the dynamic
// linker would.
const Runtime &find_runtime(Function function, const void *code);

enum class Start : int {
    kUnderWay = -1, // another thread starts the tool, and waiting for it may be for ever
    kNone = 0,
    kDone = 1,
};

// Starts the tool, if a libgomp is loaded that this library can serve, and there is a tool.
Start initialise_if_loaded();

// The runtime that was found first, for questions that come from no caller; null: none yet.
const Runtime *first_runtime();

template <class Type> Type function_of(const Runtime &runtime, Function function) {
    return reinterpret_cast<Type>(runtime.functions[function]);
}

} // namespace ocb::gomp
