// SPDX-License-Identifier: Apache-2.0
//
// Places in the code and the tree made of them: each fork location under its parent, and where call
// stacks are kept, the frames in between.
// Locations are keyed by module and offset, so that a plugin that comes to lie where another was
// has places of its own. For event callbacks; async-signal-safe only where noted.
#pragma once

#include "profile_file.h"

#include <cstdint>

namespace ompcollect {

// kNoRow without room, or for address 0. return_address: name the call, not what follows it.
uint32_t location_of(uintptr_t address, bool return_address);

// Of a line of Python (python_place()); kNoRow without room. Async-signal-safe.
uint32_t location_of_python(uint64_t place);

// The node of a region forked from this return address under this parent; kNodeUnknown without
// room.
uint32_t node_of(uintptr_t address, uint32_t parent);

// For signal handlers: the place of an instruction in what is known of the modules. A place in no
// known one is its address; kNoRow without room.
uint32_t location_met(uintptr_t address);
// The node of a call path: a frame under another, under a region, or under none (kNoRow). kNoRow
// without room. Async-signal-safe.
uint32_t child_node(uint32_t location, uint32_t parent, NodeKind kind);

// Sees to room ahead. Not in a signal handler.
void grow_call_tree();

void restart_call_tree();

} // namespace ompcollect
