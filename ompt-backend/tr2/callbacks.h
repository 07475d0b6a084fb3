// SPDX-License-Identifier: Apache-2.0
// The callbacks of TR2, its draft successor and the form of 2014: which one serves which need.
#pragma once

#include "generation.h"

#include <cstddef>

namespace ocb::ompt_tr2 {

constexpr std::size_t kCallbackCount = 42;
extern const ompt::CallbackRow kCallbacks[kCallbackCount];

} // namespace ocb::ompt_tr2
