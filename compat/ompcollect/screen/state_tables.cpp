// SPDX-License-Identifier: Apache-2.0
#include "state_tables.h"

#include <algorithm>

namespace ompcollect::report {

StateTables::StateTables(const Process &process) : threads(process.threads.size()) {
    // A run has many nodes and few regions.
    std::vector<int> row_of(process.nodes.size(), -1);
    for (int node = 0; static_cast<size_t>(node) < process.nodes.size(); ++node) {
        if (region_of(process, node) == node) {
            row_of[static_cast<size_t>(node)] = static_cast<int>(regions.size());
            regions.push_back({node, {}});
        }
    }
    const auto times_of = [&](int region) -> StateTimes & {
        return regions[static_cast<size_t>(row_of[static_cast<size_t>(region)])].times;
    };
    for (const Cell &cell : process.cells) {
        const int region = region_of(process, cell.node);
        StateTimes &times = region >= 0          ? times_of(region)
                            : region == kOutside ? outside
                            : region == kSeveral ? several
                                                 : unknown;
        for (StateTimes *to : {&all, &threads[cell.thread], &times}) {
            to->wall[cell.state] += cell.wall;
            to->cpu[cell.state] += cell.cpu;
        }
    }
    std::stable_sort(regions.begin(), regions.end(),
                     [](const RegionTimes &a, const RegionTimes &b) {
                         return total_wall(a.times) > total_wall(b.times);
                     });
}

} // namespace ompcollect::report
