// SPDX-License-Identifier: Apache-2.0
// START's last two steps, claim and register. It keeps the one runtime whose tool we are, whether
// it runs, and its adapter. Most of runtime.h is implemented in attachment.cpp, for all generations
// alike.
#pragma once

#include "generation.h"

#include <cstdint>

namespace ocb::ompt {

// Whether the runtime's generation asks a second time in a forked child.
enum class AsksAgain : std::uint8_t { kNever, kAfterFork };

// Whether the runtime that asks gets the bridge (OCB_ATTACH). A refusal is remembered.
[[nodiscard]] bool is_welcome();
[[nodiscard]] bool has_declined();

// The runtime that asks gets the bridge, which is pinned from here on. False, with a line in the
// log, if another runtime has it already.
[[nodiscard]] bool claim(AsksAgain asks_again);
void release();

// A runtime has claimed the bridge and is about to initialise it.
[[nodiscard]] bool is_being_asked();

// The runtime's tools interface lacks what we need. Logs `why`, and releases the bridge.
void reject(const char *why);
[[nodiscard]] bool was_rejected();

// Inside the initializer, once the adapter has its entry points: registers its callbacks.
// `get_state`: ompt_get_state, which has the same type in all generations.
using GetState = int (*)(std::uint64_t *wait_id);
void register_adapter(const Adapter &adapter, Lookup lookup, GetState get_state);
// The runtime ends.
void detach();
[[nodiscard]] bool was_detached();

void reset_attachment_after_fork();

template <class F> void find(Lookup lookup, const char *name, F &function) {
    function = reinterpret_cast<F>(lookup(name));
}

} // namespace ocb::ompt
