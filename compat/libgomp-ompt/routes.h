// SPDX-License-Identifier: Apache-2.0
// Where the call of an exported function goes. Each function has an Entry, whose first word its
// symbol jumps through; routes.cpp writes that word, nobody else. A route leads to libgomp's own
// function where nothing is to be known of the call, so that wrapping costs one jump:
//   no runtime yet, or several         by_caller: looks up whose runtime is meant
//   no tool, and there will be none    libgomp's own, from the function's second call on; callers
//                                      that have bound our function are bound to libgomp's
//   a tool that cannot ask             libgomp's own
//   the tool wants an event of it      observed
//   it can only ask                    quiet: keeps state and frames; null: libgomp's own
#pragma once

#include "runtime.h"

#include <cstdint>

namespace ocb::gomp {

using AnyFunction = void (*)();

// A bit for each number of ompt_callbacks_t.
using Events = std::uint64_t;
constexpr Events kEveryEvent = ~Events{0};
template <class... Event> constexpr Events events(Event... event) {
    return (... | (Events{1} << static_cast<unsigned>(event)));
}

struct Entry {
    AnyFunction route; // stored atomically
    AnyFunction by_caller;
    AnyFunction observed;
    AnyFunction quiet;
    AnyFunction stub; // what is exported
    Function function;
    Events events;
};

// The tool has set a callback for the event: from now on it may be told.
void want_event(unsigned event);
// The tool has looked up a question about threads, regions or tasks.
void want_answers();
// After the runtime of all callers is known.
void route_calls();
// The function has been called for the first time, and no call will ever be observed. By then its
// caller has bound it.
void route_past(Function function);

} // namespace ocb::gomp
