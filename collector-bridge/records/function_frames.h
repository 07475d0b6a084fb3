// SPDX-License-Identifier: Apache-2.0
// Whether the runtime is around a region's function. It reports the region's implicit task some
// time before it calls the function, and the task's end some time after the function has returned.
// Some runtimes keep a frame with the task while the function executes. They do not in each
// construct, so an absent frame alone proves nothing. It is believed where a frame was seen before,
// in a region that was forked by the same call of the program.
#pragma once

#include "base/compiler.h"

#include <cstdint>

namespace ocb {

struct ThreadRecord;

namespace function_frames {

// A forking call: where it returns to, and the other properties by which runtimes differ.
struct Place {
    std::uintptr_t call_site;
    bool is_of_one;    // a team of one
    bool is_in_league; // directly
};

// Both are async-signal-safe; any thread. Only a few absences in a row are believed. So code
// without a frame, at a place that has had one, is taken for the runtime a few times at most.
void record_presence(Place place);
[[nodiscard]] bool believes_absence(Place place);

// Whether the calling thread, whose record this is and whose innermost call forks, is in the
// runtime although the region's implicit task has begun. Async-signal-safe.
[[nodiscard]] bool caller_is_around_function(const ThreadRecord &record);

} // namespace function_frames
} // namespace ocb
