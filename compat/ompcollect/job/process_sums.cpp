// SPDX-License-Identifier: Apache-2.0
#include "process_sums.h"

#include "findings.h"
#include "node_keys.h"
#include "region_shape.h"
#include "serial_place.h"
#include "warnings.h"
#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <charconv>

namespace ompcollect::report {
namespace {

// A line for each: its name, a tab, its sentence. How a rank ended stands apart.
std::string doubts_of(const Process &process) {
    std::string lines;
    for (const Warning &warning : warnings_of(process)) {
        if (warning.severity != Severity::kEnd) {
            lines += (lines.empty() ? "" : "\n") + std::string(warning.name) + "\t" + warning.text;
        }
    }
    return lines;
}

} // namespace

bool may_be_in_mpi(unsigned state) {
    const StateKind kind = kind_of_state(state);
    return kind == StateKind::kUseful || kind == StateKind::kAsleep ||
           kind == StateKind::kNoProcessor;
}

ProcessSums::ProcessSums(const Process &process)
    : process_(process), classes_(process), useful_(process.threads.size()) {
    add_cells();
    share_out_serial();
    add_losses();
}

PlaceKey ProcessSums::region_key(int node) const {
    if (node < 0) {
        return special_key(node);
    }
    const Node &at = process_.nodes[static_cast<size_t>(node)];
    const PlaceKey key = at.module.empty()
                             ? mixed(hash_of(at.function.str()), hash_of(at.source.str()))
                             : mixed(hash_of(base_name(at.module.str())), at.offset);
    return is_special(key) || key == kRootKey ? mixed(key, 1) : key;
}

void ProcessSums::add_cells() {
    for (const Cell &cell : process_.cells) {
        const int region = region_of(process_, cell.node);
        const TimeClass is = classes_.of(cell);
        const bool in_mpi = is == TimeClass::kMpi;
        times_[{region, cell.state, in_mpi}] += cell.wall;
        if (kind_of_state(state_within(cell)) == StateKind::kIdle) {
            continue;
        }
        if (in_mpi) {
            mpi_ += cell.wall;
        } else if (is == TimeClass::kNoProcessor) {
            off_processor_ += cell.wall;
        } else if (is != TimeClass::kRuntime) {
            useful_[cell.thread] += cell.wall;
        }
    }
}

// Serial time without a path is MPI's as mpi_outside() has it: that was taken for useful where it
// has the state of work, and else for time without a processor.
void ProcessSums::share_out_serial() {
    const MpiOutside outside = mpi_outside(process_, classes_);
    mpi_elapsed_ = outside.all();
    mpi_ += outside.all() - outside.with_path;
    for (const Cell &cell : process_.cells) {
        if (cell.node != kOutside || state_within(cell) != THR_SERIAL_STATE) {
            continue;
        }
        if (cell.state == kNoProcessorState) {
            off_processor_ -= outside.share * cell.wall;
        } else if (cell.wall > cell.cpu) {
            useful_[cell.thread] -= outside.share * (cell.wall - cell.cpu);
        }
    }
}

// Of the same place by its words there may be several nodes.
void ProcessSums::add_losses() {
    const Conclusions from(process_);
    for (const RegionFigures &region : from.figures.regions) {
        mpi_elapsed_ += mpi_by_the_clock(region);
    }
    std::map<std::pair<Cause, PlaceKey>, RankLoss> by_place;
    for (const Loss &loss : from.figures.losses) {
        const std::string name = place_name(process_, loss.node);
        const PlaceKey key = hash_of(name);
        places_.try_emplace(key, PlaceName{key, name});
        RankLoss &to = by_place[{loss.cause, key}];
        to.cause = loss.cause;
        to.place = key;
        to.lost += whole_ns(loss.seconds);
        to.samples += loss.samples;
        to.is_measured |= loss.is_measured;
    }
    for (const auto &[at, loss] : by_place) {
        losses_.push_back(loss);
    }
    for (const Finding &finding : from.findings) {
        evidence_.push_back(
            {family_of(finding.cause), 0, whole_ns(finding.seconds), finding.evidence});
    }
}

void ProcessSums::add_bins(RankRow &to) const {
    while (to.elapsed >> to.bin_shift >= kMostBins) {
        ++to.bin_shift;
    }
    std::map<std::pair<unsigned, unsigned>, uint64_t> bins;
    const uint64_t step = std::max(process_.sample_step, 1U);
    for (const Sample &sample : process_.samples) {
        const auto bin = static_cast<unsigned>(
            std::min<uint64_t>(whole_ns(sample.time) >> to.bin_shift, kMostBins - 1));
        const bool in_mpi = may_be_in_mpi(sample.state) && classes_.mpi_node(sample.node) >= 0;
        bins[{bin, sample.state | (in_mpi ? kMpiColumn : 0)}] += step;
    }
    for (const auto &[at, samples] : bins) {
        to.bins.push_back({at.first, at.second, samples});
    }
}

void ProcessSums::add_facts(RankRow &to) const {
    to.rank = -1;
    const std::string &rank = process_.rank;
    if (std::from_chars(rank.data(), rank.data() + rank.size(), to.rank).ec != std::errc()) {
        to.rank = -1;
    }
    to.pid = process_.pid;
    to.host = process_.host;
    to.program = process_.program;
    to.command = joined(process_.arguments, " ");
    to.launcher = process_.launcher;
    to.job = process_.job;
    to.runtime = process_.runtime;
    to.ranks = process_.ranks;
    to.processors = process_.processors;
    to.megahertz = process_.megahertz;
    to.rate = process_.rate;
    to.begin_ns = process_.begin * 1'000'000'000 + process_.begin_nanoseconds;
    if (process_.ending == Ending::kNone || process_.how_it_ended.starts_with("killed")) {
        to.ending =
            process_.how_it_ended.empty() ? "killed, or left by _exit" : process_.how_it_ended;
    }
    to.doubts = doubts_of(process_);
}

RankRow ProcessSums::row() {
    RankRow to;
    add_facts(to);
    to.threads =
        std::max(1U, process_.most_threads ? process_.most_threads
                                           : static_cast<unsigned>(process_.threads.size()));
    to.elapsed = whole_ns(process_.seconds);
    for (const double useful : useful_) {
        to.useful += whole_ns(useful);
        to.most_useful = std::max(to.most_useful, whole_ns(useful));
    }
    to.off_processor = whole_ns(off_processor_);
    to.mpi = whole_ns(mpi_);
    to.mpi_elapsed = whole_ns(mpi_elapsed_);
    add_bins(to);
    return to;
}

std::vector<JobRegion> ProcessSums::regions() const {
    std::vector<JobRegion> all;
    int before = kUnknown - 1;
    for (const auto &[at, time] : times_) {
        const int region = std::get<0>(at);
        if (region != before && region >= 0) {
            all.push_back({region_key(region), place_name(process_, region)});
        }
        before = region;
    }
    return all;
}

std::vector<RankRegion> ProcessSums::times() const {
    std::map<std::tuple<PlaceKey, unsigned, bool>, double> by_key; // a region inside others is one
    for (const auto &[at, time] : times_) {
        const auto &[region, state, in_mpi] = at;
        by_key[{region_key(region), state, in_mpi}] += time;
    }
    std::vector<RankRegion> all;
    for (const auto &[at, time] : by_key) {
        const auto &[region, state, in_mpi] = at;
        all.push_back({0, region, state, in_mpi, whole_ns(time)});
    }
    return all;
}

void widen_bins(RankRow &rank, unsigned shift) {
    if (shift <= rank.bin_shift) {
        return;
    }
    std::map<std::pair<unsigned, unsigned>, uint64_t> bins;
    for (const Bin &bin : rank.bins) {
        bins[{bin.bin >> (shift - rank.bin_shift), bin.column}] += bin.samples;
    }
    rank.bins.clear();
    for (const auto &[at, samples] : bins) {
        rank.bins.push_back({at.first, at.second, samples});
    }
    rank.bin_shift = shift;
}

} // namespace ompcollect::report
