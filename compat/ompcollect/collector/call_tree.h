// SPDX-License-Identifier: Apache-2.0
//
// Places in the code and the tree of regions made of them: each fork location under its parent.
// Locations are keyed by module and offset, so that a plugin that comes to lie where another was
// has places of its own. For event callbacks; not async-signal-safe.
#pragma once

#include "profile_file.h"

#include <cstdint>

namespace ompcollect {

// kNoRow without room, or for address 0. return_address: name the call, not what follows it.
uint32_t location_of(uintptr_t address, bool return_address);

// The node of a region forked from this return address under this parent; kNodeUnknown without
// room.
uint32_t node_of(uintptr_t address, uint32_t parent);

void restart_call_tree();

} // namespace ompcollect
