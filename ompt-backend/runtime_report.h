// SPDX-License-Identifier: Apache-2.0
// What is known of the runtime at hand: its file, what it says of itself, and what it answered to
// the registration of each callback. For omp_collector_bridge.h, the log and --capabilities.
#pragma once

#include "adapters.h"

#include <cstddef>
#include <cstdint>

namespace ocb::ompt {

// When the runtime asks for a tool. At most `most` bytes of the text are read.
void keep_version(unsigned omp_version, const char *runtime_version, std::size_t most = SIZE_MAX);
// When it initialises us.
void keep_file(Lookup lookup);
void forget_results();

// Async-signal-safe: a plain store. `row`: of the adapter's callbacks.
void keep_result(std::size_t row, int result);
// Whether the runtime will call this callback, by what it answered; false if it was not asked.
bool is_served(int callback);

// A barrier inside a region was reported of which nothing shows whether it is explicit; what is
// said of explicit ones since then (CapabilityOverride::silence).
void note_barrier_without_kind();
const char *silence_of_barriers();

// The file of the runtime we are attached to, or were; "" for none.
const char *runtime_file();
const char *runtime_version();

} // namespace ocb::ompt
