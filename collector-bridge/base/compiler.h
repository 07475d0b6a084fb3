// SPDX-License-Identifier: Apache-2.0
// What we ask of the compiler by name.
#pragma once

#include <atomic>
#include <cstdint>

// On the path of every event: compiled for the event, where that is a constant, so that its row of
// a table is no look-up.
#define OCB_ALWAYS_INLINE inline __attribute__((always_inline))

// Apart from the path of every event, which stays short.
#define OCB_NEVER_INLINE __attribute__((noinline))

// An object of the library that another of its files defines: without this it is reached through
// the global offset table, for -fvisibility=hidden is about definitions alone.
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

// A relaxed load that the compiler may make a part of a comparison or of a call, which it does not
// with an atomic one. For words that a processor reads at once, and not in loops that wait for a
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
