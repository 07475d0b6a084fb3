// SPDX-License-Identifier: Apache-2.0
//
// The callbacks that the collector registers, once it is there.
#pragma once

#include "preload_services.h"

namespace ompcollect {

// As in ompcollect_preload_services.
void listen(const ompcollect_listener *listener);

// Null: nobody. Async-signal-safe.
const ompcollect_listener *current_listener();

} // namespace ompcollect
