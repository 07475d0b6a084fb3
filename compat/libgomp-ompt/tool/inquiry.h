// SPDX-License-Identifier: Apache-2.0
// The entry points that a tool looks up. Those that OpenMP calls async-signal-safe read the calling
// thread's record and nothing else.
#pragma once

#include "ompt_types.h"

namespace ocb::gomp {

ompt_interface_fn_t look_up(const char *name);
int initial_device();

} // namespace ocb::gomp
