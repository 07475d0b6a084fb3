// SPDX-License-Identifier: Apache-2.0
//
// The file of samples beside the profile, and its limit. At the limit it is thinned: a second file
// gets every second sample of each thread, a piece at a time, while the first goes on growing; then
// one word of the profile's header names the second one from here on. So a reader finds a
// whole file at any moment, and a process that is killed loses nothing. By one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ompcollect {

struct PlainSample {
    uint64_t time;
    uint32_t node;
    uint32_t who;
};

// For a new profile.
void begin_sample_file();

// Appends those of the samples that are to be kept. 0, or the errno of why none was.
int append_samples(const PlainSample *samples, size_t count);

// Of a profile that is not kept.
void remove_sample_file();

// Goes on with a thinning that is under way. 0, or an errno: the file cannot be thinned.
int thin_sample_file();
[[nodiscard]] bool sample_file_is_thinned(); // one is under way

} // namespace ompcollect
