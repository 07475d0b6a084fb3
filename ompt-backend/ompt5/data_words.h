// SPDX-License-Identifier: Apache-2.0
// What we keep in the runtime's places for a tool's data.
#pragma once

#include "spec/ompt5.h"
#include "tracker/tracker.h"

namespace ocb::ompt5 {

// The runtime's place for a tool's data, as the word that the tracker keeps there.
static_assert(sizeof(tracker::RegionWord) == sizeof(ompt_data_t) &&
              alignof(tracker::RegionWord) == alignof(ompt_data_t));
inline tracker::RegionWord &region_word(ompt_data_t *data) {
    return *reinterpret_cast<tracker::RegionWord *>(data);
}
inline const tracker::RegionWord &region_word(const ompt_data_t *data) {
    return *reinterpret_cast<const tracker::RegionWord *>(data);
}

} // namespace ocb::ompt5
