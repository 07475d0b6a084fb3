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

// For a symbol that has another name in C.
#define ENTRY_POINT_AS(symbol, result, name, parameters, arguments)                                \
    using Type_##name = result(*) parameters;                                                      \
    static result observed_##name(const ocb::gomp::Call &call OCB_SPLICE parameters);              \
    OCB_EXPORT result symbol parameters;                                                           \
    OCB_EXPORT result symbol parameters {                                                          \
        using namespace ocb::gomp;                                                                 \
        if (__builtin_expect(mode.load(std::memory_order_relaxed) == kDirect, 1))                  \
            return function_of<Type_##name>(shared_runtime, k_##name) arguments;                   \
        const void *code = __builtin_return_address(0);                                            \
        const Runtime &runtime = runtime_of(k_##name, code);                                       \
        if (!runtime.is_observed)                                                                  \
            return function_of<Type_##name>(runtime, k_##name) arguments;                          \
        return observed_##name(Call{&runtime, code, __builtin_dwarf_cfa()} OCB_SPLICE arguments);  \
    }                                                                                              \
    static __attribute__((noinline))                                                               \
    result observed_##name([[maybe_unused]] const ocb::gomp::Call &call OCB_SPLICE parameters)

#define ENTRY_POINT(result, name, parameters, arguments)                                           \
    ENTRY_POINT_AS(name, result, name, parameters, arguments)
