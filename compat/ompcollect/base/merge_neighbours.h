// SPDX-License-Identifier: Apache-2.0
//
// A sorted list of which equal neighbours become one. For large lists, where a map would take
// several times the memory. Any thread.
#pragma once

#include <cstddef>
#include <vector>

namespace ompcollect {

// `add(into, from)` is called for each that goes, in their order.
template <class Each, class IsSame, class Add>
void merge_neighbours(std::vector<Each> &sorted, IsSame is_same, Add add) {
    std::size_t kept = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        if (is_same(sorted[kept], sorted[i])) {
            add(sorted[kept], sorted[i]);
        } else {
            sorted[++kept] = sorted[i];
        }
    }
    sorted.erase(sorted.begin() + static_cast<std::ptrdiff_t>(sorted.empty() ? 0 : kept + 1),
                 sorted.end());
}

} // namespace ompcollect
