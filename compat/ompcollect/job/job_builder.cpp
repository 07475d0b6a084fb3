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
                  ? mixed(key, hash_of(node.function.str()) ^
                                   (by_name ? 0 : hash_of(node.source.str()) * 0x9e3779b97f4a7c15))
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

// By node, with what is below; parents stand before their children.
std::vector<double> times_with_children(const Process &process) {
    std::vector<double> times(process.nodes.size());
    for (const Cell &cell : process.cells) {
        if (cell.node >= 0) {
            times[static_cast<size_t>(cell.node)] += cell.wall;
        }
    }
    for (size_t i = times.size(); i-- > 0;) {
        if (process.nodes[i].parent >= 0) {
            times[static_cast<size_t>(process.nodes[i].parent)] += times[i];
        }
    }
    return times;
}

// Of several places in one function the first one stands for it.
template <class Place>
bool is_before(const Place &one, const std::string &module, const JobNode &other) {
    const std::string &source = one.source;
    return std::tie(one.offset, source, module) <
           std::tie(other.offset, other.source, other.module);
}

} // namespace

PlaceKey process_key(const Process &process) {
    PlaceKey key = mixed(hash_of(process.host), static_cast<uint64_t>(process.pid));
    key = mixed(key, static_cast<uint64_t>(process.begin));
    return mixed(key, process.begin_nanoseconds);
}

uint32_t KeyIndex::row(PlaceKey key) {
    if (2 * (size_t{rows_} + 1) > slots_.size()) {
        grow();
    }
    Slot &slot = slot_of(key);
    if (slot.row == kNone) {
        slot = {key, rows_++};
    }
    return slot.row;
}

KeyIndex::Slot &KeyIndex::slot_of(PlaceKey key) {
    const size_t mask = slots_.size() - 1;
    size_t at = mixed(key, 0) & mask;
    while (slots_[at].row != kNone && slots_[at].key != key) {
        at = (at + 1) & mask;
    }
    return slots_[at];
}

void KeyIndex::grow() {
    std::vector<Slot> before(std::max<size_t>(64, 2 * slots_.size()));
    before.swap(slots_);
    for (const Slot &slot : before) {
        if (slot.row != kNone) {
            slot_of(slot.key) = slot;
        }
    }
}

void SpreadSum::add(uint64_t time, PlaceKey rank) {
    if (rank_ != rank) {
        complete();
        rank_ = rank;
    }
    time_ += time;
}

void SpreadSum::complete() {
    if (time_ > 0) {
        sum_.add(spread_of_one(time_, rank_));
        time_ = 0;
    }
}

uint32_t JobBuilder::row_of(PlaceKey key, uint32_t guess) {
    if (guess < places_.size() && places_[guess].node.key == key) {
        return guess;
    }
    const uint32_t row = index_.row(key);
    if (row == places_.size()) {
        places_.emplace_back().node.key = key;
    }
    return row;
}

JobBuilder::Sums &JobBuilder::sums(Place &at, unsigned state, unsigned within) {
    uint32_t cell = at.first_cell;
    while (cell != 0 && (cells_[cell - 1].state != state || cells_[cell - 1].within != within)) {
        cell = cells_[cell - 1].next;
    }
    if (cell == 0) {
        cells_.push_back({state, within, at.first_cell});
        cell = at.first_cell = static_cast<uint32_t>(cells_.size());
    }
    return cells_[cell - 1];
}

void JobBuilder::add_nodes(const Process &process, const std::vector<PlaceKey> &keys,
                           PlaceKey rank) {
    const std::vector<double> times = times_with_children(process);
    rows_.resize(std::max(rows_.size(), keys.size()));
    for (size_t i = 0; i < keys.size(); ++i) {
        rows_[i] = row_of(keys[i], rows_[i]);
        Place &to = places_[rows_[i]];
        const Node &from = process.nodes[i];
        if (!to.is_node || is_before(from, from.module.str(), to.node)) {
            const PlaceKey parent =
                from.parent < 0 ? kRootKey : keys[static_cast<size_t>(from.parent)];
            to.node = {keys[i],           parent,      from.kind, from.function, from.source,
                       from.module.str(), from.offset, {}};
            to.is_node = true;
        }
        to.wall.add(whole_ns(times[i]), rank);
    }
}

void JobBuilder::add_cells(const Process &process, PlaceKey rank) {
    for (const Cell &cell : process.cells) {
        Place &at = cell.node < 0 ? place(special_key(cell.node))
                                  : places_[rows_[static_cast<size_t>(cell.node)]];
        // States of ours have one of OpenMP within.
        Sums &to = sums(at, cell.state, cell.state < kContractStates ? 0 : cell.within);
        to.wall.add(whole_ns(cell.wall), rank);
        to.cpu += std::isnan(cell.cpu) ? 0 : whole_ns(cell.cpu);
        to.samples += cell.samples;
    }
}

void JobBuilder::add(const Process &process) {
    const PlaceKey rank = process_key(process);
    if (ranks_.count(rank) != 0) {
        return;
    }
    const std::vector<PlaceKey> keys = Keys(process).take();
    add_nodes(process, keys, rank);
    add_cells(process, rank);
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
    for (RankLoss loss : sums.losses()) {
        loss.rank = rank;
        losses_.push_back(loss);
    }
    loss_places_.insert(sums.places().begin(), sums.places().end());
    for (CauseEvidence evidence : sums.evidence()) {
        evidence.rank = rank;
        add(evidence);
    }
}

// Of equal ones that of the smaller key.
void JobBuilder::add(const CauseEvidence &more) {
    const auto [at, is_new] = evidence_.try_emplace(more.cause, more);
    const CauseEvidence &has = at->second;
    if (!is_new && (more.lost > has.lost || (more.lost == has.lost && more.rank < has.rank))) {
        at->second = more;
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
        Place &to = place(node.key);
        if (!to.is_node || is_before(node, node.module, to.node)) {
            to.node = node;
            to.is_node = true;
        }
        to.wall.add(node.wall);
    }
    for (const JobCell &cell : job.cells) {
        Sums &to = sums(place(cell.node), cell.state, cell.within);
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
    losses_.insert(losses_.end(), job.losses.begin(), job.losses.end());
    for (const PlaceName &place : job.places) {
        loss_places_.emplace(place.key, place);
    }
    for (const CauseEvidence &evidence : job.evidence) {
        add(evidence);
    }
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
    for (Place &place : places_) {
        for (uint32_t cell = place.first_cell; cell != 0; cell = cells_[cell - 1].next) {
            Sums &sums = cells_[cell - 1];
            job.cells.push_back({place.node.key, sums.state, sums.within, sums.wall.take(),
                                 sums.cpu, sums.samples});
        }
        if (place.is_node) {
            place.node.wall = place.wall.take();
            job.nodes.push_back(std::move(place.node));
        }
    }
    std::sort(job.nodes.begin(), job.nodes.end(),
              [](const JobNode &a, const JobNode &b) { return a.key < b.key; });
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
    std::sort(losses_.begin(), losses_.end(), [](const RankLoss &a, const RankLoss &b) {
        return std::tie(a.rank, a.cause, a.place) < std::tie(b.rank, b.cause, b.place);
    });
    job.losses = std::move(losses_);
    for (auto &[key, place] : loss_places_) {
        job.places.push_back(std::move(place));
    }
    for (auto &[cause, evidence] : evidence_) {
        job.evidence.push_back(std::move(evidence));
    }
    job.absent.assign(absent_.begin(), absent_.end());
    *this = {};
    return job;
}

} // namespace ompcollect::report
