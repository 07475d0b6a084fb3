// SPDX-License-Identifier: Apache-2.0
// What the inquiry functions of all generations have in common. Async-signal-safe.
#pragma once

#include "core.h"

namespace mini::inquiry {

Thread *thread();
State state(std::uint64_t *wait_id);

// Null: there is no such level. A team of level 0 (of an initial thread) is no region.
Team *team(int ancestor_level);
Task *task(int ancestor_level);

void *idle_frame();

} // namespace mini::inquiry
