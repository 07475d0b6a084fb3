// SPDX-License-Identifier: Apache-2.0
// The code of a region, for collectors that name regions by it: the address behind the fork call,
// which OMPT gives, and the outlined function, which OMPT does not give. The function is known only
// where somebody stands in front of the runtime's fork calls and notes it (compat/names/). A note
// is believed if OMPT then reports a fork from the very call that the note was made for.
#pragma once

#include "region.h"

namespace ocb {

// On the forking thread, before FORK is delivered. Takes the thread's note.
void keep_region_code(RegionRecord &region, const void *fork_address);

} // namespace ocb
