// SPDX-License-Identifier: Apache-2.0
// The libgomps of the process that somebody calls, each in a row of the front's (../front/rows.h):
// its functions, and whether its calls are observed. runtime.cpp owns the table; a row's functions
// are written once, before its first call. The tool is started by ../tool/start.cpp.
#pragma once

#include "stubs.h"

#include <atomic>
#include <cstdint>

// Of another file's data: they are the library's own, and found without a table.
#define OCB_HIDDEN __attribute__((visibility("hidden")))

namespace ocb::gomp {

enum Function : int {
#define ENTRY(name)  k_##name,
#define LOCK(name)   k_##name, k_##name##_old,
#define CALLED(name) k_##name,
#include "entries.inc"
    kFunctionCount
};

enum class Observation : int {
    kUndecided, // no call yet
    kNone,      // no tool: objects call the runtime itself
    kObserved,
};

struct Runtime {
    void *functions[kFunctionCount]; // null: this libgomp has none of that name
    std::atomic<Observation> observation;
    bool can_cancel;     // OMP_CANCELLATION, which libgomp reads once; known where it is observed
    std::uintptr_t base; // of the object that it lies in; 0: the row has no libgomp
};

// By row. The first is that of all callers, in most processes.
extern Runtime runtimes[front::kMostRows] OCB_HIDDEN;

// The runtime whose stub the calling thread came through last.
inline Runtime &called_runtime() {
    const auto slot = static_cast<std::size_t>(ocb_front_called_slot - ocb_front_slots[0]);
    return runtimes[slot / front::kStubCount];
}

// Each call of the calling thread that begins from here on, by the front.
bool calls_are_marked();

// False: the call is to go on to the runtime. The first call of the process starts the tool.
bool is_observed(Runtime &runtime);

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
