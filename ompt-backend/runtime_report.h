// SPDX-License-Identifier: Apache-2.0
// What is known of the runtime at hand: its file, what it says of itself, and what it answered to
// the registration of each callback. For omp_collector_bridge.h, the log and --capabilities.
#pragma once

#include "ompt5.h"

#include <cstddef>

namespace ocb::ompt5 {

// In ompt_start_tool, and in the tool's initialisation.
void keep_version(unsigned omp_version, const char *runtime_version);
void keep_file(ompt_function_lookup_t lookup);

// Async-signal-safe: two plain stores. `row`: of kCallbacks.
void keep_result(std::size_t row, int result);

// The file of the runtime we are attached to, or were; "" for none.
const char *runtime_file();
const char *runtime_version();

} // namespace ocb::ompt5
