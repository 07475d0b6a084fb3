// SPDX-License-Identifier: Apache-2.0
//
// Who hears of what the program does: the collector, once it is there.
#pragma once

#include "preload.h"

namespace ompcollect {

// Null: nobody. Async-signal-safe.
const ompcollect_listener *current_listener();

} // namespace ompcollect
