// SPDX-License-Identifier: Apache-2.0
// What we ask of the compiler by name.
#pragma once

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
