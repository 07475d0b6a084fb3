// SPDX-License-Identifier: Apache-2.0
//
// From the producer's region ids to rows of the region table, so that a sample that knows only an
// id finds its row. A table of fixed size, lock-free; location_of_region_id() is async-signal-safe.
#ifndef OMPCOLLECT_REGION_IDS_H
#define OMPCOLLECT_REGION_IDS_H

#include <cstdint>

namespace ompcollect {

inline constexpr int kNoRegion = -1;

// The region with this id (not 0) has begun, in this row.
void remember_region_id(uint64_t id, int location);

// It has ended. The id is known until its place is needed, for the sake of samples of workers that
// are late in leaving.
void release_region_id(uint64_t id);

// kNoRegion: not known, or no longer.
int location_of_region_id(uint64_t id);

} // namespace ompcollect

#endif
