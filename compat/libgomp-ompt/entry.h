// SPDX-License-Identifier: Apache-2.0
// How an exported function is written. Its symbol is one jump through its Entry's route, which
// leads to libgomp's own function wherever nothing is to be done (routes.cpp decides):
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
    const void *code; // the program's return address
    void *frame;      // of the program's frame, as the address of its stack at the call
};
using Call = CallOf<true>;
using QuietCall = CallOf<false>;

} // namespace ocb::gomp

#define OCB_EXPORT      extern "C" __attribute__((visibility("default")))
#define OCB_SPLICE(...) __VA_OPT__(, ) __VA_ARGS__
#define REAL(name)      ocb::gomp::function_of<Type_##name>(*call.runtime, ocb::gomp::k_##name)
#define OCB_ENTRY(name) ocb_gomp_entry_##name
#define OCB_LABEL(name) ocb_gomp_stub_##name // the exported symbol, which nobody can put aside

// Changes no register that a call may use, and nothing on the stack: what it jumps to is called as
// if by the program.
#if defined(__x86_64__)
#define OCB_JUMP(entry) "jmp *" entry "(%rip)\n"
#elif defined(__aarch64__)
#define OCB_JUMP(entry)                                                                            \
    "adrp x16, " entry "\n"                                                                        \
    "add x16, x16, :lo12:" entry "\n"                                                              \
    "ldar x16, [x16]\n"                                                                            \
    "br x16\n"
#else
#error "libgomp-ompt: a jump through a pointer is missing for this machine"
#endif
#define OCB_STUB(symbol, entry, label)                                                             \
    __asm__(".pushsection .text\n"                                                                 \
            ".p2align 4\n"                                                                         \
            ".globl " symbol "\n"                                                                  \
            ".type " symbol ", %function\n" symbol ":\n" label ":\n"                               \
            ".cfi_startproc\n" OCB_JUMP(entry) ".cfi_endproc\n"                                    \
                                               ".size " symbol ", . - " symbol "\n"                \
                                               ".popsection\n")

// Names cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)

// For a symbol that has another name in C. QUIET is what is called where no event of EVENTS is
// wanted.
#define ENTRY_POINT_FULL(symbol, events, quiet, result, name, parameters, arguments)               \
    using Type_##name = result(*) parameters;                                                      \
    template <class CallType>                                                                      \
    static inline result body_##name(const CallType &call OCB_SPLICE parameters);                  \
    static result by_caller_##name parameters {                                                    \
        using namespace ocb::gomp;                                                                 \
        const void *code = __builtin_return_address(0);                                            \
        const Runtime &runtime = find_runtime(k_##name, code);                                     \
        if (!runtime.is_observed)                                                                  \
            return function_of<Type_##name>(runtime, k_##name) arguments;                          \
        const Call call{&runtime, code, __builtin_dwarf_cfa()};                                    \
        know_thread(call);                                                                         \
        return body_##name(call OCB_SPLICE arguments);                                             \
    }                                                                                              \
    template <class CallType> static result observed_##name parameters {                           \
        using namespace ocb::gomp;                                                                 \
        const CallType call{&shared_runtime, __builtin_return_address(0), __builtin_dwarf_cfa()};  \
        know_thread(call);                                                                         \
        return body_##name(call OCB_SPLICE arguments);                                             \
    }                                                                                              \
    extern "C" __attribute__((visibility("hidden"))) void OCB_LABEL(name)();                       \
    extern "C" ocb::gomp::Entry OCB_ENTRY(name);                                                   \
    ocb::gomp::Entry OCB_ENTRY(name){                                                              \
        reinterpret_cast<ocb::gomp::AnyFunction>(by_caller_##name),                                \
        reinterpret_cast<ocb::gomp::AnyFunction>(by_caller_##name),                                \
        reinterpret_cast<ocb::gomp::AnyFunction>(observed_##name<ocb::gomp::Call>),                \
        quiet,                                                                                     \
        OCB_LABEL(name),                                                                           \
        ocb::gomp::k_##name,                                                                       \
        events};                                                                                   \
    OCB_STUB(#symbol, "ocb_gomp_entry_" #name, "ocb_gomp_stub_" #name);                            \
    template <class CallType>                                                                      \
    static inline result body_##name([[maybe_unused]] const CallType &call OCB_SPLICE parameters)

#define ENTRY_POINT(result, name, parameters, arguments)                                           \
    ENTRY_POINT_FULL(name, ocb::gomp::kEveryEvent, nullptr, result, name, parameters, arguments)
#define ENTRY_POINT_TELLING(events, result, name, parameters, arguments)                           \
    ENTRY_POINT_FULL(name, events, nullptr, result, name, parameters, arguments)
#define OCB_QUIET(name)                                                                            \
    reinterpret_cast<ocb::gomp::AnyFunction>(observed_##name<ocb::gomp::QuietCall>)
#define ENTRY_POINT_WAITING(events, result, name, parameters, arguments)                           \
    ENTRY_POINT_FULL(name, events, OCB_QUIET(name), result, name, parameters, arguments)

// NOLINTEND(bugprone-macro-parentheses)
