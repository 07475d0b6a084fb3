// SPDX-License-Identifier: Apache-2.0
//
// Who hears of what the program does: the collector, once it is there.
#ifndef OMPCOLLECT_LISTENER_H
#define OMPCOLLECT_LISTENER_H

#include "preload.h"

namespace ompcollect {

// Null: nobody. Async-signal-safe.
const ompcollect_listener *current_listener();

} // namespace ompcollect

#endif
