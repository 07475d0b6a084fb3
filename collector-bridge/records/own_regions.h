// SPDX-License-Identifier: Apache-2.0
// What a thread takes for the regions that it forks: ids from its own block, records from its own
// spare ones. Inline, as it is on the path of every region; the rare cases are in region.cpp. The
// record is the calling thread's, and no other thread writes these members.
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
    // Too early: where an inner region had no record for want of memory, its end has ended this
    // one.
    if (region.running_key.load(std::memory_order_relaxed) == RegionKey::kNone) [[unlikely]] {
        return;
    }
    // Read before the store: behind it the record is free, and may be another thread's.
    const bool is_late = region.is_late;
    region.running_key.store(RegionKey::kNone, std::memory_order_release);
    if (is_late) [[unlikely]] {
        return;
    }
    region.next_free = master.spare_regions;
    master.spare_regions = &region;
}

} // namespace ocb
