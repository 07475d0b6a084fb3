// SPDX-License-Identifier: Apache-2.0
//
// From the producer's region ids to nodes of the region tree, so that a sample that knows only an
// id finds its node. Lock-free; node_of_region_id() is async-signal-safe.
#pragma once

#include <cstdint>

namespace ompcollect {

// The region with this id (not 0) has begun, in this node. The table grows while more regions run
// than it has room for; false: it is not remembered.
[[nodiscard]] bool remember_region_id(uint64_t id, uint32_t node);

// Some time before that: has the processor fetch where it will be kept.
void expect_region_id(uint64_t id);

// It has ended. The id is known until its place is needed, for the sake of samples of workers that
// are late in leaving.
void release_region_id(uint64_t id);

// kNodeUnknown: not known, or no longer.
uint32_t node_of_region_id(uint64_t id);

void restart_region_ids();

} // namespace ompcollect
