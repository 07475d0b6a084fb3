// SPDX-License-Identifier: Apache-2.0
#include "viewer_json.h"

#include <algorithm>

namespace ompcollect::report {

std::vector<Stretch> line_of(const Process &process) {
    if (!process.samples.empty()) {
        return stretches_of(process);
    }
    // In the order of the call paths, so that frames of a viewer stay together.
    std::vector<Cell> cells = process.cells;
    std::stable_sort(cells.begin(), cells.end(), [](const Cell &a, const Cell &b) {
        return std::pair(a.thread, a.node) < std::pair(b.thread, b.node);
    });
    std::vector<double> now(process.threads.size(), 0);
    std::vector<Stretch> line;
    for (const Cell &cell : cells) {
        if (cell.wall > 0) {
            const double begin = now[cell.thread];
            now[cell.thread] += cell.wall;
            line.push_back({cell.thread, begin, now[cell.thread], cell.node, cell.state});
        }
    }
    return line;
}

} // namespace ompcollect::report
