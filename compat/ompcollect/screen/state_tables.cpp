// SPDX-License-Identifier: Apache-2.0
#include "state_tables.h"

#include <algorithm>

namespace ompcollect::report {

StateTables::StateTables(const Process &process) : threads(process.threads.size()) {
    std::vector<StateTimes> by_node(process.nodes.size());
    for (const Cell &cell : process.cells) {
        const int region = region_of(process, cell.node);
        StateTimes &times = region >= 0          ? by_node[static_cast<size_t>(region)]
                            : region == kOutside ? outside
                            : region == kSeveral ? several
                                                 : unknown;
        for (StateTimes *to : {&all, &threads[cell.thread], &times}) {
            to->wall[cell.state] += cell.wall;
            to->cpu[cell.state] += cell.cpu;
        }
    }
    for (int node = 0; static_cast<size_t>(node) < process.nodes.size(); ++node) {
        if (region_of(process, node) == node) {
            regions.push_back({node, by_node[static_cast<size_t>(node)]});
        }
    }
    std::stable_sort(regions.begin(), regions.end(),
                     [](const RegionTimes &a, const RegionTimes &b) {
                         return total_wall(a.times) > total_wall(b.times);
                     });
}

} // namespace ompcollect::report
