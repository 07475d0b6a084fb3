// SPDX-License-Identifier: Apache-2.0
//
// The services of the preloaded part (preload/preload_services.h), where it is there.
#pragma once

#include "preload_services.h"

namespace ompcollect {

// Once, in the constructor.
void find_preload();
// Null: the collector has been loaded by itself. Async-signal-safe.
const ompcollect_preload_services *preload_services();
// The collector has been loaded at the process's begin, and no runtime has asked for a tool yet.
bool is_before_runtime();

} // namespace ompcollect
