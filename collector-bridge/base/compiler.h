// SPDX-License-Identifier: Apache-2.0
// What we ask of the compiler by name.
#pragma once

#include <atomic>
#include <cstdint>

// On the path of every event. Inlined, the event's number is a constant, and its row of a table is
// known at compile time.
#define OCB_ALWAYS_INLINE inline __attribute__((always_inline))

// Apart from the path of every event, which stays short.
#define OCB_NEVER_INLINE __attribute__((noinline))

// For an object that another file of the library defines. -fvisibility=hidden acts on definitions
// alone, so without this the access goes through the global offset table.
#define OCB_INTERNAL __attribute__((visibility("hidden")))

// A function that the library exports; exports.txt lists them.
#define OCB_EXPORT extern "C" __attribute__((visibility("default")))

#ifdef __has_feature // of clang; gcc defines a macro
#if __has_feature(thread_sanitizer)
#define OCB_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_THREAD__)
#define OCB_THREAD_SANITIZER
#endif

namespace ocb {

// A relaxed load that the compiler may fold into a comparison or a call, as it does not do with an
// atomic load. For words that a processor reads in one access. Not for loops that wait for a
// change.
template <class Value> OCB_ALWAYS_INLINE Value load_in_place(const std::atomic<Value> &from) {
#ifdef OCB_THREAD_SANITIZER
    return from.load(std::memory_order_relaxed);
#else
    static_assert(sizeof from <= sizeof(std::uint64_t));
    return *reinterpret_cast<const Value *>(&from); // what it has inside
#endif
}

// The same with acquire, which each load of an x86-64 has.
template <class Value>
OCB_ALWAYS_INLINE Value load_acquire_in_place(const std::atomic<Value> &from) {
#if defined(__x86_64__) && !defined(OCB_THREAD_SANITIZER)
    return load_in_place(from);
#else
    return from.load(std::memory_order_acquire);
#endif
}

} // namespace ocb
