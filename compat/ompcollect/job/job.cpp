// SPDX-License-Identifier: Apache-2.0
#include "job.h"

#include <algorithm>
#include <unordered_map>

namespace ompcollect::report {

void RankSpread::add(const RankSpread &other) {
    if (other.ranks == 0) {
        return;
    }
    const bool is_less = ranks == 0 || other.least < least ||
                         (other.least == least && other.least_rank < least_rank);
    const bool is_more =
        ranks == 0 || other.most > most || (other.most == most && other.most_rank < most_rank);
    least_rank = is_less ? other.least_rank : least_rank;
    least = is_less ? other.least : least;
    most_rank = is_more ? other.most_rank : most_rank;
    most = is_more ? other.most : most;
    sum += other.sum;
    ranks += other.ranks;
}

std::string rank_name(const RankRow &rank) {
    return rank.rank >= 0 ? "rank " + std::to_string(rank.rank) : "pid " + std::to_string(rank.pid);
}

Process as_process(const Job &job, std::vector<const JobNode *> *origins) {
    Process to;
    std::unordered_map<PlaceKey, const JobNode *> by_key;
    for (const JobNode &node : job.nodes) {
        by_key.emplace(node.key, &node);
    }
    // Parents first: from each node up to one that is there, then down again.
    std::unordered_map<PlaceKey, int> made;
    std::vector<const JobNode *> way;
    for (const JobNode &wanted : job.nodes) {
        way.clear();
        for (const JobNode *at = &wanted; made.count(at->key) == 0;) {
            way.push_back(at);
            const auto parent = by_key.find(at->parent);
            if (parent == by_key.end() || way.size() > job.nodes.size()) {
                break;
            }
            at = parent->second;
        }
        for (; !way.empty(); way.pop_back()) {
            const JobNode &from = *way.back();
            const auto parent = made.find(from.parent);
            made.emplace(from.key, static_cast<int>(to.nodes.size()));
            Node &node = to.nodes.emplace_back();
            node.parent = parent == made.end() ? -1 : parent->second;
            node.kind = from.kind;
            node.function = from.function;
            node.source = from.source;
            node.module = from.module;
            node.offset = from.offset;
            if (origins) {
                origins->push_back(&from);
            }
        }
    }
    to.threads.emplace_back();
    for (const JobCell &from : job.cells) {
        Cell &cell = to.cells.emplace_back();
        const auto node = made.find(from.node);
        cell.node = is_special(from.node) ? static_cast<int>(static_cast<int64_t>(from.node))
                    : node == made.end()  ? kUnknown
                                          : node->second;
        cell.state = from.state;
        cell.within = from.within;
        cell.wall = static_cast<double>(from.wall.sum) * 1e-9;
        cell.cpu = static_cast<double>(from.cpu) * 1e-9;
        cell.samples = from.samples;
    }
    for (const RankRow &rank : job.ranks) {
        to.seconds = std::max(to.seconds, static_cast<double>(rank.elapsed) * 1e-9);
    }
    to.has_cpu_times = true;
    return to;
}

} // namespace ompcollect::report
