// SPDX-License-Identifier: Apache-2.0
// The numbers that stand for regions, waits and barriers, each a type of its own: none is taken for
// another. records/region.h, which deals them, explains each.
#pragma once

#include <cstdint>

namespace ocb {

enum class RegionId : std::uint64_t { kNone = 0 };  // what a collector sees; kNone: no region
enum class RegionKey : std::uint64_t { kNone = 0 }; // what the bridge goes by
enum class BarrierId : std::uint64_t {};
enum class WaitId : std::uint64_t { kNone = 0 }; // of a mutex or of a barrier

template <class Id> constexpr std::uint64_t number_of(Id id) {
    return static_cast<std::uint64_t>(id);
}

constexpr WaitId wait_id_of(BarrierId barrier) {
    return WaitId{number_of(barrier)};
}

} // namespace ocb
