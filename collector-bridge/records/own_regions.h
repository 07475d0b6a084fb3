// SPDX-License-Identifier: Apache-2.0
// What a thread takes for the regions that it forks: ids from its own block, records from its own
// spares. Inline, as it is on the path of every region; what is rare is in region.cpp. The record
// is the calling thread's, which alone writes what is here.
#pragma once

#include "base/compiler.h"
#include "records/region.h"
#include "records/thread_record.h"

namespace ocb {

// The key of a new region: the next id of the thread's block.
[[nodiscard]] inline RegionKey next_region_key(ThreadRecord &master) {
    RegionIds &ids = master.region_ids;
    if (ids.next == ids.end) [[unlikely]] {
        take_region_ids(ids);
    }
    return RegionKey{ids.next++};
}

// For the forking thread. Null without memory, or where 65,535 regions have records: the region
// then has an id but no record.
[[nodiscard]] OCB_ALWAYS_INLINE RegionRecord *begin_region(ThreadRecord &master, RegionKey key,
                                                           RegionId parent_id) {
    RegionRecord *region = master.spare_regions;
    if (region != nullptr) [[likely]] {
        master.spare_regions = region->next_free;
    } else if (region = new_region_record(); region == nullptr) {
        return nullptr;
    }
    region->parent_id = parent_id;
    region->client_word = 0;
    region->running_key.store(key, std::memory_order_release);
    return region;
}

OCB_ALWAYS_INLINE void end_region(ThreadRecord &master, RegionRecord &region) {
    // Where memory was missing for an inner region, its end has ended this one before its time.
    if (region.running_key.load(std::memory_order_relaxed) == RegionKey::kNone) [[unlikely]] {
        return;
    }
    // Not asked behind the store: a record that is free may be another thread's.
    const bool is_adopted = region.is_adopted;
    region.running_key.store(RegionKey::kNone, std::memory_order_release);
    if (is_adopted) [[unlikely]] {
        return;
    }
    region.next_free = master.spare_regions;
    master.spare_regions = &region;
}

} // namespace ocb
