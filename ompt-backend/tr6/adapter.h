// SPDX-License-Identifier: Apache-2.0
// TR6 (libomp 6 and 7).
#pragma once

#include "generation.h"
#include "spec/ompt5.h"

namespace ocb::ompt_tr6 {

extern const ompt::Adapter kAdapter;

// As ompt5::start.
[[nodiscard]] bool start(ompt5::ompt_function_lookup_t lookup);

} // namespace ocb::ompt_tr6
