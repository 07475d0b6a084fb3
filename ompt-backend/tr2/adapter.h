// SPDX-License-Identifier: Apache-2.0
// TR2 of 2015, the draft after it and the form of 2014.
#pragma once

#include "generation.h"
#include "spec/ompt5.h"

#include <cstdint>

namespace ocb::ompt_tr2 {

extern const ompt::Adapter kAdapter, kDraftAdapter, kAdapter2014;

enum class Registration : std::uint8_t { kTool, k2014 };
// As ompt5::start.
[[nodiscard]] bool start(ompt5::ompt_function_lookup_t lookup, Registration registration);

} // namespace ocb::ompt_tr2
