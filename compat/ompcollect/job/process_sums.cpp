// SPDX-License-Identifier: Apache-2.0
#include "process_sums.h"

#include "node_keys.h"
#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <charconv>

namespace ompcollect::report {
namespace {

bool is_wait(unsigned state) {
    const StateKind kind = kind_of_state(state);
    return kind == StateKind::kBarrier || kind == StateKind::kMutex ||
           kind == StateKind::kReduction;
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
        present_ += cell.wall;
        if (in_mpi) {
            mpi_ += cell.wall;
            mpi_outside_ += region == kOutside ? cell.wall : 0;
        } else if (is == TimeClass::kNoProcessor) {
            off_processor_ += cell.wall;
        } else if (is != TimeClass::kRuntime) {
            useful_[cell.thread] += cell.wall;
        }
        add_serial(cell, is);
        Share &share = shares_[region][cell.thread];
        share.lost += is_wait(cell.state) ? cell.wall : 0;
        share.runtime += kind_of_state(cell.state) == StateKind::kRuntime ? cell.wall : 0;
    }
}

// A thread that gets no processor at all has no call path either, as nothing interrupts it.
void ProcessSums::add_serial(const Cell &cell, TimeClass is) {
    if (state_within(cell) != THR_SERIAL_STATE) {
        return;
    }
    if (cell.node != kOutside) {
        serial_with_path_ += is == TimeClass::kMpi || is == TimeClass::kNoProcessor ? 0 : cell.wall;
    } else if (cell.state == kNoProcessorState) {
        serial_off_ += cell.wall;
    } else if (cell.wall > cell.cpu) { // not where cpu is not known
        serial_off_ += cell.wall - cell.cpu;
        off_of_useful_ += cell.wall - cell.cpu;
    }
}

// It is MPI's in the proportion in which serial time that has a path is.
void ProcessSums::share_out_serial() {
    const double with_path = mpi_outside_ + serial_with_path_;
    if (with_path <= 0) {
        return;
    }
    const double share = mpi_outside_ / with_path;
    mpi_ += serial_off_ * share;
    mpi_outside_ += serial_off_ * share;
    off_processor_ = std::max(0.0, off_processor_ - (serial_off_ - off_of_useful_) * share);
    for (size_t i = 0; i < useful_.size(); ++i) {
        if (process_.threads[i].is_initial) {
            useful_[i] = std::max(0.0, useful_[i] - off_of_useful_ * share);
        }
    }
}

// In a region, what even the thread with the least waiting waits all do: that is no imbalance.
void ProcessSums::add_waits(RankRow &to) const {
    double unbalanced = 0;
    double scheduling = 0;
    for (const auto &[region, threads] : shares_) {
        double lost = 0;
        double least = threads.empty() ? 0 : threads.begin()->second.lost;
        for (const auto &[thread, share] : threads) {
            lost += share.lost;
            least = std::min(least, share.lost);
            scheduling += share.runtime;
        }
        const double common = least * static_cast<double>(threads.size());
        scheduling += common;
        unbalanced += lost - common;
    }
    to.unbalanced = whole_ns(unbalanced);
    to.scheduling = whole_ns(scheduling);
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
    if (process_.is_partial || !process_.missing.empty()) {
        to.doubts = "the profile is not whole" +
                    (process_.missing.empty() ? std::string() : ": " + process_.missing);
    }
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
    to.mpi_outside = whole_ns(mpi_outside_);
    // Workers that have not begun yet have nothing to do either.
    const double idle = std::max(0.0, process_.seconds * to.threads - present_);
    const double with_mpi = std::min(idle, mpi_outside_ * (to.threads - 1));
    to.mpi_idle = whole_ns(with_mpi);
    to.serial_idle = whole_ns(idle - with_mpi);
    add_waits(to);
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
