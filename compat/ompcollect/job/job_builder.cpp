// SPDX-License-Identifier: Apache-2.0
#include "job_builder.h"

#include "node_keys.h"
#include "process_sums.h"
#include "words.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ompcollect::report {
namespace {

// Functions are the same by name, wherever in them a sample was; so are files by their name, as
// hosts may have them in different folders.
class Keys {
  public:
    explicit Keys(const Process &process) {
        keys_.reserve(process.nodes.size());
        for (const Node &node : process.nodes) {
            keys_.push_back(key_of(node));
        }
    }
    [[nodiscard]] std::vector<PlaceKey> &&take() { return std::move(keys_); }

  private:
    PlaceKey key_of(const Node &node) {
        PlaceKey key = node.parent < 0 ? kRootKey : keys_[static_cast<size_t>(node.parent)];
        key = mixed(key, static_cast<uint64_t>(node.kind) + (module_hash(node.module) << 1U));
        const bool by_name = node.kind == NodeKind::kFunction && !node.function.empty();
        key = by_name || node.module.empty()
                  ? mixed(key, hash_of(node.function) ^
                                   (by_name ? 0 : hash_of(node.source) * 0x9e3779b97f4a7c15))
                  : mixed(key, node.offset);
        // Those of the special places and of the root are not used.
        return key == kRootKey || is_special(key) ? mixed(key, 1) : key;
    }
    uint64_t module_hash(const SharedText &module) {
        const std::string &path = module.str();
        if (path != last_path_) {
            last_path_ = path;
            last_hash_ = hash_of(base_name(path));
        }
        return last_hash_;
    }

    std::vector<PlaceKey> keys_;
    std::string last_path_;
    uint64_t last_hash_ = hash_of("");
};

} // namespace

PlaceKey process_key(const Process &process) {
    PlaceKey key = mixed(hash_of(process.host), static_cast<uint64_t>(process.pid));
    key = mixed(key, static_cast<uint64_t>(process.begin));
    return mixed(key, process.begin_nanoseconds);
}

void JobBuilder::add_cells(const Process &process, const std::vector<PlaceKey> &keys,
                           PlaceKey rank) {
    struct Sum {
        CellKey key;
        uint32_t next; // of the same node, plus 1; 0: none
        double wall = 0;
        double cpu = 0;
        uint64_t samples = 0;
    };
    constexpr int kSpecials = -kUnknown;
    std::vector<uint32_t> first(process.nodes.size() + kSpecials,
                                0); // by node, the special ones first
    std::vector<Sum> sums;
    sums.reserve(process.cells.size());
    for (const Cell &cell : process.cells) {
        // States of ours have one of OpenMP within.
        const unsigned within = cell.state < kContractStates ? 0 : cell.within;
        uint32_t &begin = first[static_cast<size_t>(cell.node + kSpecials)];
        uint32_t row = begin;
        while (row != 0 &&
               (sums[row - 1].key.state != cell.state || sums[row - 1].key.within != within)) {
            row = sums[row - 1].next;
        }
        if (row == 0) {
            const PlaceKey node =
                cell.node < 0 ? special_key(cell.node) : keys[static_cast<size_t>(cell.node)];
            sums.push_back({{node, cell.state, within}, begin});
            row = begin = static_cast<uint32_t>(sums.size());
        }
        Sum &sum = sums[row - 1];
        sum.wall += cell.wall;
        sum.cpu += std::isnan(cell.cpu) ? 0 : cell.cpu;
        sum.samples += cell.samples;
    }
    for (const Sum &sum : sums) {
        Sums &to = cells_[sum.key];
        to.wall.add(spread_of_one(whole_ns(sum.wall), rank));
        to.cpu += whole_ns(sum.cpu);
        to.samples += sum.samples;
    }
}

void JobBuilder::add(const Process &process) {
    const PlaceKey rank = process_key(process);
    if (ranks_.count(rank) != 0) {
        return;
    }
    const std::vector<PlaceKey> keys = Keys(process).take();
    for (size_t i = 0; i < keys.size(); ++i) {
        const auto [at, is_new] = nodes_.try_emplace(keys[i]);
        const Node &node = process.nodes[i];
        const auto facts = [](const auto &of, const std::string &module) {
            return std::tie(of.offset, of.source, module);
        };
        // Of several places in one function the first one stands for it.
        if (is_new || facts(node, node.module.str()) < facts(at->second, at->second.module)) {
            const PlaceKey parent =
                node.parent < 0 ? kRootKey : keys[static_cast<size_t>(node.parent)];
            at->second = {keys[i],           parent,     node.kind, node.function, node.source,
                          node.module.str(), node.offset};
        }
    }
    add_cells(process, keys, rank);
    ProcessSums sums(process);
    RankRow row = sums.row();
    row.key = rank;
    ranks_.emplace(rank, std::move(row));
    for (JobRegion &region : sums.regions()) {
        const auto [at, is_new] = regions_.try_emplace(region.key, region);
        if (!is_new && region.name < at->second.name) {
            at->second = region;
        }
    }
    for (RankRegion time : sums.times()) {
        time.rank = rank;
        rank_regions_.push_back(time);
    }
}

bool JobBuilder::may_add(const Job &job) const {
    return std::none_of(job.ranks.begin(), job.ranks.end(),
                        [this](const RankRow &rank) { return ranks_.count(rank.key) != 0; });
}

void JobBuilder::add(const Job &job) {
    for (const RankRow &rank : job.ranks) {
        ranks_.emplace(rank.key, rank);
    }
    for (const JobNode &node : job.nodes) {
        const auto [at, is_new] = nodes_.try_emplace(node.key, node);
        if (!is_new && std::tie(node.offset, node.source, node.module) <
                           std::tie(at->second.offset, at->second.source, at->second.module)) {
            at->second = node;
        }
    }
    for (const JobCell &cell : job.cells) {
        Sums &to = cells_[{cell.node, cell.state, cell.within}];
        to.wall.add(cell.wall);
        to.cpu += cell.cpu;
        to.samples += cell.samples;
    }
    for (const JobRegion &region : job.regions) {
        const auto [at, is_new] = regions_.try_emplace(region.key, region);
        if (!is_new && region.name < at->second.name) {
            at->second = region;
        }
    }
    rank_regions_.insert(rank_regions_.end(), job.rank_regions.begin(), job.rank_regions.end());
    absent_.insert(job.absent.begin(), job.absent.end());
}

Job JobBuilder::take() {
    Job job;
    unsigned shift = 0;
    for (auto &[key, rank] : ranks_) {
        shift = std::max(shift, rank.bin_shift);
        job.ranks.push_back(std::move(rank));
    }
    for (RankRow &rank : job.ranks) {
        widen_bins(rank, shift);
    }
    std::sort(job.ranks.begin(), job.ranks.end(), [](const RankRow &a, const RankRow &b) {
        return std::pair(static_cast<unsigned>(a.rank), a.key) <
               std::pair(static_cast<unsigned>(b.rank), b.key);
    });
    for (auto &[key, node] : nodes_) {
        job.nodes.push_back(std::move(node));
    }
    std::sort(job.nodes.begin(), job.nodes.end(),
              [](const JobNode &a, const JobNode &b) { return a.key < b.key; });
    for (const auto &[key, sums] : cells_) {
        job.cells.push_back({key.node, key.state, key.within, sums.wall, sums.cpu, sums.samples});
    }
    std::sort(job.cells.begin(), job.cells.end(), [](const JobCell &a, const JobCell &b) {
        return std::tie(a.node, a.state, a.within) < std::tie(b.node, b.state, b.within);
    });
    for (auto &[key, region] : regions_) {
        job.regions.push_back(std::move(region));
    }
    std::sort(job.regions.begin(), job.regions.end(),
              [](const JobRegion &a, const JobRegion &b) { return a.key < b.key; });
    std::sort(rank_regions_.begin(), rank_regions_.end(),
              [](const RankRegion &a, const RankRegion &b) {
                  return std::tie(a.rank, a.region, a.state, a.in_mpi) <
                         std::tie(b.rank, b.region, b.state, b.in_mpi);
              });
    job.rank_regions = std::move(rank_regions_);
    job.absent.assign(absent_.begin(), absent_.end());
    *this = {};
    return job;
}

} // namespace ompcollect::report
