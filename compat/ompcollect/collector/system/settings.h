// SPDX-License-Identifier: Apache-2.0
//
// What the collector takes from the environment. Read once, in the constructor; constant after it,
// but for the rate: the sampling thread lowers one that cannot be had (fine_timers.h).
// The launcher sets these names; whoever preloads the collector by hand may set them too.
#pragma once

#include "kinds.h"
#include "sampling_rate.h"

#include <atomic>
#include <cstddef>

namespace ompcollect {

struct Settings {
    std::atomic<unsigned> rate = kUsualRate; // OMPCOLLECT_RATE
    bool wall_clock = true;                  // OMPCOLLECT_CLOCK: wall or cpu
    Stacks stacks = Stacks::kFull;           // OMPCOLLECT_STACKS: full, forks or off
    bool native = false;                     // OMPCOLLECT_NATIVE: an interpreter's own frames stay
    int signal = 0;                          // OMPCOLLECT_SIGNAL: default SIGURG, which is ignored
                                             // where nobody handles it
    unsigned samples_mb = 96;                // OMPCOLLECT_SAMPLES_MB: of samples with their times
    const char *profile_dir = nullptr; // OMPCOLLECT_PROFILE_DIR: profile files go here; without it
                                       // into own_folder.h's
};

extern Settings current_settings;

// Wrong values are named on stderr, and the default holds.
void read_settings();

// One line on stderr, with the prefix. Not async-signal-safe.
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

// To the stderr that the process began with (base/standard_error.h), which is noted once the
// preloaded part is found. False: it could not be written.
void record_stderr();
bool write_to_stderr(const char *text, std::size_t size);

} // namespace ompcollect
