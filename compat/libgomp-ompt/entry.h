// SPDX-License-Identifier: Apache-2.0
// How an exported function is written: ENTRY_POINT(result, name, (parameters), (arguments)) and the
// body for an observed call. Without a tool a call is one branch and a jump to libgomp's function.
// In the body `call` is the program's call and REAL(name) is libgomp's function.
#pragma once

#include "runtime.h"

namespace ocb::gomp {

struct Call {
    const Runtime *runtime;
    const void *code; // the program's return address
    void *frame;      // of the program's frame, as the address of its stack at the call
};

inline const Runtime &runtime_of(Function function, const void *code) {
    return mode.load(std::memory_order_relaxed) == kObserved ? shared_runtime
                                                             : find_runtime(function, code);
}

} // namespace ocb::gomp

#define OCB_EXPORT      extern "C" __attribute__((visibility("default")))
#define OCB_SPLICE(...) __VA_OPT__(, ) __VA_ARGS__
#define REAL(name)      ocb::gomp::function_of<Type_##name>(*call.runtime, ocb::gomp::k_##name)

// Names cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)

// For a symbol that has another name in C. What is not the direct way is a function of its own, so
// that the direct way saves no register.
#define ENTRY_POINT_AS(symbol, result, name, parameters, arguments)                                \
    using Type_##name = result(*) parameters;                                                      \
    static inline result observed_##name(const ocb::gomp::Call &call OCB_SPLICE parameters);       \
    static __attribute__((noinline))                                                               \
    result slow_##name(const void *code, void *frame OCB_SPLICE parameters) {                      \
        using namespace ocb::gomp;                                                                 \
        const Runtime &runtime = runtime_of(k_##name, code);                                       \
        if (!runtime.is_observed)                                                                  \
            return function_of<Type_##name>(runtime, k_##name) arguments;                          \
        know_thread();                                                                             \
        return observed_##name(Call{&runtime, code, frame} OCB_SPLICE arguments);                  \
    }                                                                                              \
    OCB_EXPORT result symbol parameters;                                                           \
    OCB_EXPORT result symbol parameters {                                                          \
        using namespace ocb::gomp;                                                                 \
        if (__builtin_expect(mode.load(std::memory_order_relaxed) == kDirect, 1))                  \
            return function_of<Type_##name>(shared_runtime, k_##name) arguments;                   \
        return slow_##name(__builtin_return_address(0),                                            \
                           __builtin_dwarf_cfa() OCB_SPLICE arguments);                            \
    }                                                                                              \
    static inline result observed_##name(                                                          \
        [[maybe_unused]] const ocb::gomp::Call &call OCB_SPLICE parameters)

#define ENTRY_POINT(result, name, parameters, arguments)                                           \
    ENTRY_POINT_AS(name, result, name, parameters, arguments)

// NOLINTEND(bugprone-macro-parentheses)
