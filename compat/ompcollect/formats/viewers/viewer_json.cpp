// SPDX-License-Identifier: Apache-2.0
#include "viewer_json.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ompcollect::report {

std::vector<double> weights_of(const Process &process, const std::vector<Stretch> &line) {
    using Key = std::tuple<unsigned, int, unsigned>;
    std::map<Key, double> wall;
    for (const Cell &cell : process.cells) {
        wall[{cell.thread, cell.node, cell.state}] += cell.wall;
    }
    const auto length = [](const Stretch &at) { return at.end - at.begin; };
    std::map<Key, double> drawn;
    for (const Stretch &at : line) {
        drawn[{at.thread, at.node, at.state}] += length(at);
    }
    std::vector<double> weights;
    weights.reserve(line.size());
    for (const Stretch &at : line) {
        const Key key{at.thread, at.node, at.state};
        const auto known = wall.find(key);
        const bool is_known = known != wall.end() && known->second > 0 && drawn[key] > 0;
        weights.push_back(length(at) * (is_known ? known->second / drawn[key] : 1));
    }
    return weights;
}

double begins_after_first(const Run &run, const Process &process) {
    const auto begin = [](const Process &at) { return std::pair(at.begin, at.begin_nanoseconds); };
    auto first = begin(process);
    for (const Process &other : run.processes) {
        first = std::min(first, begin(other));
    }
    return static_cast<double>(process.begin) - static_cast<double>(first.first) +
           (static_cast<double>(process.begin_nanoseconds) - static_cast<double>(first.second)) *
               1e-9;
}

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
