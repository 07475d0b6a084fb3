// SPDX-License-Identifier: Apache-2.0
// The code of a region, for collectors that name regions by it: the address behind the fork call
// and the outlined function. OpenMP 5's OMPT gives the first, what was before it the second. The
// other one is known only where somebody stands in front of the runtime's fork calls and notes both
// (compat/names/). A note is believed if OMPT then reports a fork that agrees with it.
#pragma once

#include "records/region.h"

namespace ocb {

// What the runtime tells of a fork; null: not that.
struct ForkCode {
    const void *address;
    const void *function;
};

// On the forking thread, before FORK is delivered. Takes the thread's note.
void keep_region_code(RegionRecord &region, const ForkCode &code);

} // namespace ocb
