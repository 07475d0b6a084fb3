// SPDX-License-Identifier: Apache-2.0
#include "job_formats.h"

#include "job_json.h"
#include "job_text.h"
#include "words.h"

#include <algorithm>
#include <ostream>
#include <unordered_map>

namespace ompcollect::report {
namespace {

void write_text_of_job(const Job &job, const TextStyle &style, std::ostream &out) {
    out << job_text(job, style);
}

constexpr JobFormat kJobFormats[] = {
    {"text", write_text_of_job},
    {"csv", write_job_csv},
    {"json", write_job_json},
    {"html", write_job_html},
};

std::unordered_map<PlaceKey, const RankRow *> ranks_by_key(const Job &job) {
    std::unordered_map<PlaceKey, const RankRow *> ranks;
    for (const RankRow &rank : job.ranks) {
        ranks.emplace(rank.key, &rank);
    }
    return ranks;
}

Json tree_of(const Job &job) {
    std::unordered_map<PlaceKey, size_t> row_of;
    Json nodes = Json::array();
    for (const JobNode &node : job.nodes) {
        row_of.emplace(node.key, row_of.size());
    }
    const auto row = [&](PlaceKey key) -> Json {
        const auto found = row_of.find(key);
        return is_special(key)         ? Json(static_cast<int64_t>(key))
               : found == row_of.end() ? Json(nullptr)
                                       : Json(found->second);
    };
    const auto ranks = ranks_by_key(job);
    const auto number = [&](PlaceKey key) {
        const auto found = ranks.find(key);
        return found == ranks.end() ? -1 : found->second->rank;
    };
    const auto add_spread = [&](const RankSpread &wall, Json &to) {
        const size_t all = job.ranks.size();
        to.update(
            {{"wall", in_seconds(wall.sum)},
             {"ranks", wall.ranks},
             {"min", in_seconds(wall.least_of(all))},
             {"min_rank", wall.is_of_all(all) ? Json(number(wall.least_rank)) : Json(nullptr)},
             {"max", in_seconds(wall.most)},
             {"max_rank", number(wall.most_rank)}});
    };
    for (const JobNode &node : job.nodes) {
        add_spread(node.wall, nodes.emplace_back(Json{
                                  {"parent", row(node.parent)},
                                  {"kind", node.kind == NodeKind::kRegion ? "region" : "function"},
                                  {"function", node.function},
                                  {"source", node.source},
                                  {"object_file", node.module}}));
    }
    Json cells = Json::array();
    for (const JobCell &cell : job.cells) {
        add_spread(cell.wall, cells.emplace_back(Json{{"node", row(cell.node)},
                                                      {"state", state_name(cell.state)},
                                                      {"cpu", in_seconds(cell.cpu)},
                                                      {"samples", cell.samples}}));
    }
    return {{"nodes", std::move(nodes)}, {"cells", std::move(cells)}};
}

} // namespace

const JobFormat *job_format(const std::string &name) {
    for (const JobFormat &format : kJobFormats) {
        if (name == format.name) {
            return &format;
        }
    }
    return nullptr;
}

void write_job_csv(const Job &job, const TextStyle &, std::ostream &out) {
    const auto ranks = ranks_by_key(job);
    out << "rank,host,pid,region,state,mpi,seconds\n";
    for (const RankRow &rank : job.ranks) {
        RankRegion first;
        first.rank = rank.key;
        const auto begin = std::lower_bound(
            job.rank_regions.begin(), job.rank_regions.end(), first,
            [](const RankRegion &a, const RankRegion &b) { return a.rank < b.rank; });
        for (auto at = begin; at != job.rank_regions.end() && at->rank == rank.key; ++at) {
            out << rank.rank << "," << csv_field(rank.host) << "," << rank.pid << ","
                << csv_field(region_name_of(job, at->region)) << "," << state_name(at->state) << ","
                << (at->in_mpi ? 1 : 0) << "," << format("%.9f", in_seconds(at->wall)) << "\n";
        }
    }
}

void write_job_json(const Job &job, const TextStyle &, std::ostream &out) {
    Json to = job_summary(job);
    to["tree"] = tree_of(job);
    out << to.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
}

} // namespace ompcollect::report
