// SPDX-License-Identifier: Apache-2.0
// The one runtime that we are the tool of: whose place it is, whether it runs, through which
// adapter. The rest of runtime.h is implemented here, without a word of any generation.
#pragma once

#include "adapter.h"

#include <atomic>
#include <cstdint>

namespace ocb::ompt {

// One runtime gets us. False, with a line in the log, if another has us already. `asks_again`: in a
// forked child this runtime's generation asks a second time.
bool take(bool asks_again_after_fork);
void give_back();

// A runtime has asked for our tool and is about to initialise it.
bool is_being_asked();

// A runtime's tools interface lacks what we need: said, and the place is free again.
void refuse(const char *why);
extern constinit std::atomic<bool> is_insufficient;

// Inside the initializer, once the adapter has its entry points. `get_state`: ompt_get_state, of
// the same type in all generations.
using GetState = int (*)(std::uint64_t *wait_id);
void attach(const Adapter &adapter, Lookup lookup, GetState get_state);
// The runtime ends.
void detach();
extern constinit std::atomic<bool> is_attached;

// Of the runtime that we are attached to, were, or will be unless it turns out otherwise.
const Adapter &current_adapter();

// Keeps this library mapped and makes its symbols visible to everybody in the process. However it
// was loaded, the runtime must find our entry point, and collectors must find the Collector API.
void stay_and_become_visible();

template <class F> void find(Lookup lookup, const char *name, F &function) {
    function = reinterpret_cast<F>(lookup(name));
}

} // namespace ocb::ompt
