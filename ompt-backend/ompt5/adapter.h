// SPDX-License-Identifier: Apache-2.0
// OpenMP 5.0 to 5.2 (libomp 8 and later).
#pragma once

#include "generation.h"
#include "spec/ompt5.h"

namespace ocb::ompt5 {

inline constexpr const ompt::Adapter &kAdapter = ompt::kExpectedAdapter;

// From entry.cpp, once it knows that the runtime speaks this generation. False: rejected, with a
// line in the log; the runtime goes on without us.
[[nodiscard]] bool start(ompt_function_lookup_t lookup, int initial_device_num);

} // namespace ocb::ompt5
