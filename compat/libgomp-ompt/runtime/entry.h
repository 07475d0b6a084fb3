// SPDX-License-Identifier: Apache-2.0
// How an entry's function is written. Calls come to it from the front's stubs, but where its route
// leads to libgomp's own function because nothing is to be done (routes.cpp decides):
//   ENTRY_POINT          observed whenever there is a tool that can ask or be told
//   ENTRY_POINT_TELLING  only events: libgomp's own function while no tool wants these events
//   ENTRY_POINT_WAITING  its call waits: without these events the state and frame alone are kept
// The body is compiled once for each kind of call. In it `call` is the program's call, REAL(name)
// is libgomp's function, and `if constexpr (kIsTold)` is what the kept state does not need.
#pragma once

#include "routes.h"
#include "runtime.h"

namespace ocb::gomp {

// kIsTold: events are told, if the tool wants them.
template <bool kTold> struct CallOf {
    static constexpr bool kIsTold = kTold;
    const Runtime *runtime;
    const void *code; // the return address: the program's, or the front's where the call is marked
    void *frame;      // of the caller's frame, as the address of its stack at the call
};
using Call = CallOf<true>;
using QuietCall = CallOf<false>;

} // namespace ocb::gomp

#define OCB_EXPORT      extern "C" __attribute__((visibility("default")))
#define OCB_SPLICE(...) __VA_OPT__(, ) __VA_ARGS__
// What is on the way of every construct: what it is given stays in registers.
#define OCB_INLINE      inline __attribute__((always_inline))
#define REAL(name)      ocb::gomp::function_of<Type_##name>(*call.runtime, ocb::gomp::k_##name)
#define OCB_ENTRY(name) ocb_gomp_entry_##name

// Names cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)

// TOLD is what is called where an event of EVENTS is wanted, QUIET where none is.
#define ENTRY_POINT_EACH(events, told, quiet, result, name, parameters, arguments)                 \
    using Type_##name = result(*) parameters;                                                      \
    template <class CallType>                                                                      \
    static OCB_INLINE result body_##name(const CallType &call OCB_SPLICE parameters);              \
    static result by_row_##name parameters {                                                       \
        using namespace ocb::gomp;                                                                 \
        Runtime &runtime = called_runtime();                                                       \
        if (!is_observed(runtime))                                                                 \
            return function_of<Type_##name>(runtime, k_##name) arguments;                          \
        const Call call{&runtime, __builtin_return_address(0), __builtin_dwarf_cfa()};             \
        know_thread(call);                                                                         \
        return body_##name(call OCB_SPLICE arguments);                                             \
    }                                                                                              \
    template <class CallType> [[gnu::noinline]] static result observed_##name parameters {         \
        using namespace ocb::gomp;                                                                 \
        const CallType call{&runtimes[0], __builtin_return_address(0), __builtin_dwarf_cfa()};     \
        know_thread(call);                                                                         \
        return body_##name(call OCB_SPLICE arguments);                                             \
    }                                                                                              \
    extern "C" {                                                                                   \
    extern const ocb::gomp::Entry OCB_ENTRY(name);                                                 \
    const ocb::gomp::Entry OCB_ENTRY(name){                                                        \
        OCB_FUNCTION(by_row_##name), OCB_FUNCTION(told),   quiet,                                  \
        ocb::gomp::k_##name,         ocb::front::s_##name, events};                                \
    }                                                                                              \
    template <class CallType>                                                                      \
    static OCB_INLINE result body_##name(                                                          \
        [[maybe_unused]] const CallType &call OCB_SPLICE parameters)

#define ENTRY_POINT_FULL(events, quiet, result, name, parameters, arguments)                       \
    ENTRY_POINT_EACH(events, observed_##name<ocb::gomp::Call>, quiet, result, name, parameters,    \
                     arguments)
#define ENTRY_POINT(result, name, parameters, arguments)                                           \
    ENTRY_POINT_FULL(ocb::gomp::kEveryEvent, nullptr, result, name, parameters, arguments)
#define ENTRY_POINT_TELLING(events, result, name, parameters, arguments)                           \
    ENTRY_POINT_FULL(events, nullptr, result, name, parameters, arguments)
#define OCB_FUNCTION(function) reinterpret_cast<ocb::gomp::AnyFunction>(function)
#define OCB_QUIET(name)        OCB_FUNCTION(observed_##name<ocb::gomp::QuietCall>)
#define ENTRY_POINT_WAITING(events, result, name, parameters, arguments)                           \
    ENTRY_POINT_FULL(events, OCB_QUIET(name), result, name, parameters, arguments)

// NOLINTEND(bugprone-macro-parentheses)
