// SPDX-License-Identifier: Apache-2.0
// The code of a region, for collectors that name regions by it: the address behind the fork call
// and the outlined function. OpenMP 5's OMPT reports the first, older forms the second. The other
// one is known only where a library stands before the runtime's fork calls: by the mark of the call
// (front.h), or by a note with both. A note is believed if OMPT then reports a fork that agrees.
#pragma once

#include "base/compiler.h"
#include "records/region.h"

namespace ocb {

// What the runtime reports of a fork; null: not reported.
struct ForkCode {
    const void *address;
    const void *function;
};

// Whether anybody has noted a fork.
extern constinit std::atomic<bool> forks_are_noted OCB_INTERNAL;
void add_noted_code(RegionRecord &region);

// On the forking thread, before FORK is delivered. Uses up the thread's note. A reader of the code
// reads the region's key afterwards, and finds the new one.
OCB_ALWAYS_INLINE void keep_region_code(RegionRecord &region, ForkCode code) {
    region.fork_address.store(code.address, std::memory_order_release);
    region.function.store(code.function, std::memory_order_release);
    const bool lacks_any = code.address == nullptr || code.function == nullptr;
    if (lacks_any && forks_are_noted.load(std::memory_order_relaxed)) [[unlikely]] {
        add_noted_code(region);
    }
}

} // namespace ocb
