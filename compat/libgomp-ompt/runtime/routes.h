// SPDX-License-Identifier: Apache-2.0
// Where the calls of an entry go on to from the front's stub: the target in the stub's slot.
// routes.cpp writes it, for rows with a libgomp. A route leads to libgomp's own function where
// nothing is to be known of the call, so that wrapping costs a jump:
//   no call yet, or not the first row   by_row, through ocb_front_call_of_row: asks which runtime
//   it is no tool, and there will be none     libgomp's own, and objects are bound to it again a
//   tool that cannot ask              libgomp's own the tool wants an event of it       observed it
//   can only ask                     quiet: keeps state and frames; null: libgomp's own
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
    AnyFunction by_row;
    AnyFunction observed; // of the first row
    AnyFunction quiet;
    Function function;
    front::Stub stub;
    Events events;
};

// The tool has set a callback for the event: from now on it may be told.
void want_event(unsigned event);
// The tool has looked up a question about threads, regions or tasks.
void want_answers();
// The row's runtime is about to be called for the first time.
void begin_routes(int row);
// After it has been decided whether a runtime is observed.
void route_calls();

} // namespace ocb::gomp
