// SPDX-License-Identifier: Apache-2.0
// The stubs of the front: one for each runtime of the process (a row) and each entry of entries.h.
// front_x86_64.S has their code. A stub's slot has the function that its calls go on to.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocb::front {

inline constexpr int kMostRows = OCB_FRONT_ROWS;

enum Stub : int {
#define FORK(name, function, words)         s_##name,
#define ENTRY(name, kind, words, after)     s_##name,
#define PLAIN(name)                         s_##name,
#define OLD_ENTRY(name, kind, words, after) s_##name##_old,
#define OLD_PLAIN(name)                     s_##name##_old,
#include "entries.h"
    kStubCount
};

// `target` is stored atomically. The other function is for a target of ocb_front_call_of_row.
struct Slot {
    void *target;
    void *by_row;
};

inline constexpr std::size_t kStubSize = 16;

} // namespace ocb::front

extern "C" {
#define OCB_FRONT_HIDDEN __attribute__((visibility("hidden")))
OCB_FRONT_HIDDEN extern ocb::front::Slot ocb_front_slots[ocb::front::kMostRows]
                                                        [ocb::front::kStubCount];
OCB_FRONT_HIDDEN extern const char ocb_front_stubs[]; // NOLINT(readability-identifier-naming)
// Notes its slot for the calling thread and goes on to the slot's by_row.
OCB_FRONT_HIDDEN void ocb_front_call_of_row();
OCB_FRONT_HIDDEN extern constinit thread_local ocb::front::Slot *ocb_front_called_slot
    __attribute__((tls_model("initial-exec")));

// dlopen's: goes on to the real one, as if the caller had called it, and notes the flags, which
// decide how the new objects are bound.
OCB_FRONT_HIDDEN void ocb_front_dlopen();
OCB_FRONT_HIDDEN extern const void *ocb_front_real_dlopen;
OCB_FRONT_HIDDEN extern constinit thread_local int ocb_front_opened_with
    __attribute__((tls_model("initial-exec")));
#undef OCB_FRONT_HIDDEN
}
