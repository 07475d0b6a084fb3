// SPDX-License-Identifier: Apache-2.0
// Whether the runtime is around a region's function: it reports the region's implicit task some
// time before it calls the function, and the task's end some time after the function has returned.
// Some runtimes keep a frame with the task as long as the function executes. They do not in each
// construct, so that an absent frame alone proves nothing. It is believed where the frame is known
// to be kept: it has been seen in a region forked by the same call of the program.
#pragma once

#include "base/compiler.h"

#include <cstdint>

namespace ocb {

struct ThreadRecord;

namespace function_frames {

// Of a call that forks: where it returns to, and what runtimes make a difference of besides.
struct Place {
    std::uintptr_t call_site;
    bool is_of_one;    // a team of one
    bool is_in_league; // directly
};

// Both async-signal-safe, any thread. Absences in a row are believed a few times only: code without
// frames, at a place that has had one, is taken for the runtime no longer than that.
void record_presence(Place place);
[[nodiscard]] bool believes_absence(Place place);

// Whether the calling thread, whose record this is and whose innermost call forks, is in the
// runtime although the region's implicit task has begun. Async-signal-safe.
[[nodiscard]] bool caller_is_around_function(const ThreadRecord &record);

} // namespace function_frames
} // namespace ocb
