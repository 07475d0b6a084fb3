// SPDX-License-Identifier: Apache-2.0
//
// Sets of processors as a run has them: ranges, as first, last, first, last.
#pragma once

#include "run.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ompcollect::report {

// How many processors are in it, and the set for people: "0-3,8".
uint64_t processors_in(const std::vector<uint64_t> &ranges);
std::string processors_text(const std::vector<uint64_t> &ranges);

// How many the threads might run on, all together.
unsigned processors_of(const std::vector<Thread> &threads);

// Of words of 64 bits.
std::vector<uint64_t> ranges_of_bits(const std::vector<uint64_t> &words);

// The most threads that were there at the same time and were bound to the same one processor.
unsigned most_on_one_processor(const std::vector<Thread> &threads);

} // namespace ompcollect::report
