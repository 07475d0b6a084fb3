// SPDX-License-Identifier: Apache-2.0
#include "figures.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ompcollect::report {
namespace {

// In the order of OMP_COLLECTOR_API_THR_STATE.
bool is_lost(unsigned state) {
    const StateKind kind = kind_of_state(state);
    return kind == StateKind::kBarrier || kind == StateKind::kMutex ||
           kind == StateKind::kReduction || kind == StateKind::kRuntime;
}

// Time of one thread in a region, regions inside it included.
struct Share {
    double present = 0; // not idle
    double useful = 0;
    double runtime = 0;
};
using Shares = std::map<unsigned, Share>; // by thread

Share share_of(const Cell &cell) {
    const StateKind kind = kind_of_state(state_within(cell));
    if (kind == StateKind::kIdle) {
        return {};
    }
    const bool is_useful = kind == StateKind::kUseful || kind == StateKind::kOther;
    return {cell.wall, is_useful ? cell.wall : 0, kind == StateKind::kRuntime ? cell.wall : 0};
}

// The threads of a region and of those inside it. Shares only grow, so that the sums can be kept.
struct Inclusive {
    Shares shares; // of outermost regions; others have given theirs on
    size_t threads = 0;
    unsigned present_threads = 0;
    double longest = 0; // of the thread that was longest in it
    double present = 0;

    void add(unsigned thread, const Share &more) {
        const auto [at, is_new] = shares.try_emplace(thread);
        Share &share = at->second;
        threads += is_new;
        present_threads += share.present <= 0 && more.present > 0;
        share.present += more.present;
        share.useful += more.useful;
        share.runtime += more.runtime;
        present += more.present;
        longest = std::max(longest, share.present);
    }
};

// The inner one keeps its sums. The larger list stays where it is.
void give(Inclusive &inner, Inclusive &outer) {
    const Inclusive sums = {{}, inner.threads, inner.present_threads, inner.longest, inner.present};
    if (inner.shares.size() > outer.shares.size()) {
        std::swap(inner, outer);
    }
    for (const auto &[thread, share] : inner.shares) {
        outer.add(thread, share);
    }
    inner = sums;
}

// By region, and for kUnknown. The smaller list goes into the larger one, so that a thread's share
// is moved a few times, however deep regions lie inside each other.
std::map<int, Inclusive> inclusive_of(const Process &process) {
    std::map<int, Inclusive> to;
    for (const Cell &cell : process.cells) {
        const int region = region_of(process, cell.node);
        if (region >= 0 || cell.node == kUnknown) {
            to[region].add(cell.thread, share_of(cell));
        }
    }
    // From the innermost: an outer region has a smaller number.
    for (size_t left = process.nodes.size(); left-- > 0;) {
        const auto found = to.find(static_cast<int>(left));
        const int outer = found == to.end() ? -1 : region_of(process, process.nodes[left].parent);
        if (outer < 0) {
            continue;
        }
        give(found->second, to[outer]);
    }
    return to;
}

class Maker {
  public:
    explicit Maker(const Process &process) : process_(process), shares_(inclusive_of(process)) {
        for (const Cell &cell : process.cells) {
            if (kind_of_state(state_within(cell)) != StateKind::kIdle) {
                own_threads_[region_of(process, cell.node)].insert(cell.thread);
            }
        }
    }
    Figures make();

  private:
    [[nodiscard]] Efficiency efficiency() const;
    void add_regions();
    RegionFigures &region(int node);
    void finish(RegionFigures &region) const;
    [[nodiscard]] unsigned own_threads(int node) const;
    [[nodiscard]] unsigned team_of(int node) const;
    [[nodiscard]] bool is_outermost(int node) const {
        return node >= 0 && outermost_of(process_, node) == node;
    }

    const Process &process_;
    const std::map<int, Inclusive> shares_;
    std::map<int, std::set<unsigned>> own_threads_; // not idle, regions inside left out
    std::map<int, size_t> index_;
    Figures figures_;
};

Efficiency Maker::efficiency() const {
    Efficiency to;
    to.elapsed = process_.seconds;
    to.threads = process_.most_threads ? process_.most_threads
                                       : static_cast<unsigned>(process_.threads.size());
    to.threads = std::max(to.threads, 1U);
    double in_regions = 0;
    for (const auto &[node, all] : shares_) {
        in_regions += is_outermost(node) || node == kUnknown ? all.longest : 0;
    }
    if (to.elapsed <= 0) {
        return to;
    }
    // Outermost regions may have run side by side; then each counts for its part of the clock.
    double parallel_time = 0;
    std::map<unsigned, double> by_thread;
    for (const auto &[node, all] : shares_) {
        if (is_outermost(node) || node == kUnknown) {
            for (const auto &[thread, share] : all.shares) {
                by_thread[thread] += share.present;
                parallel_time = std::max(parallel_time, by_thread[thread]);
            }
        }
    }
    parallel_time = std::min(parallel_time, to.elapsed);
    to.serial = to.elapsed - parallel_time;
    const double part = in_regions > 0 ? parallel_time / in_regions : 0;

    const double total = to.elapsed * to.threads;
    const double serial_loss = to.serial * (to.threads - 1);
    double useful = to.serial;
    double everybody_loses = 0;
    for (const auto &[node, all] : shares_) {
        if (!is_outermost(node) && node != kUnknown) {
            continue;
        }
        const Shares &shares = all.shares;
        const double length = all.longest * part;
        double region_useful = 0;
        double least = length;
        double runtime = 0;
        for (const auto &[thread, share] : shares) {
            region_useful += share.useful;
            runtime += share.runtime;
            least = std::min(least, std::max(0.0, length - share.useful - share.runtime));
        }
        if (shares.size() < to.threads && part > 0.95) {
            // A thread that took no part waited all the time, and so is not the least.
            region_useful = std::min(region_useful, length * static_cast<double>(shares.size()));
        }
        const double loss = std::max(0.0, length * to.threads - region_useful);
        everybody_loses += std::min(loss, runtime + least * to.threads);
        useful += std::min(region_useful, length * to.threads);
    }
    const double parallel_part = total - serial_loss;
    to.serialisation = parallel_part / total;
    to.scheduling = useful / std::min(parallel_part, useful + everybody_loses);
    to.load_balance = useful / parallel_part / to.scheduling;
    to.parallel = useful / total;

    double wall = 0;
    double cpu = 0;
    for (const Cell &cell : process_.cells) {
        if (state_within(cell) == THR_WORK_STATE) {
            wall += cell.wall;
            cpu += cell.cpu;
        }
    }
    to.on_processor = process_.has_cpu_times && wall > 0 ? std::min(1.0, cpu / wall) : 1;
    return to;
}

RegionFigures &Maker::region(int node) {
    const auto [found, is_new] = index_.try_emplace(node, figures_.regions.size());
    if (is_new) {
        figures_.regions.emplace_back().node = node;
    }
    return figures_.regions[found->second];
}

// Threads seen in the region itself; those of regions inside it where there are none.
unsigned Maker::own_threads(int node) const {
    const auto own = own_threads_.find(node);
    if (own != own_threads_.end()) {
        return static_cast<unsigned>(own->second.size());
    }
    const auto found = shares_.find(node);
    return found == shares_.end() ? 1U : static_cast<unsigned>(found->second.threads);
}

// A region inside another one is forked by several threads at the same time.
unsigned Maker::team_of(int node) const {
    const unsigned threads = std::max(own_threads(node), 1U);
    if (node < 0) {
        return threads;
    }
    const Node &at = process_.nodes[static_cast<size_t>(node)];
    unsigned masters = at.masters;
    if (masters == 0) {
        const int parent = region_of(process_, at.parent);
        masters = parent < 0 ? 1 : std::min(own_threads(parent), (threads + 1) / 2);
    }
    return std::max(1U, (threads + masters / 2) / std::max(masters, 1U));
}

void Maker::finish(RegionFigures &region) const {
    const auto found = shares_.find(region.node);
    if (found != shares_.end()) {
        region.threads = found->second.present_threads;
        region.elapsed = found->second.longest;
    }
    region.team = team_of(region.node);
    double lost = 0;
    for (unsigned state = 0; state < kStateColumns; ++state) {
        region.own += kind_of_state(state) == StateKind::kIdle ? 0 : region.times.wall[state];
        lost += is_lost(state) ? region.times.wall[state] : 0;
    }
    region.gain = lost / region.team;
    const uint64_t entries =
        region.node >= 0 ? process_.nodes[static_cast<size_t>(region.node)].entries : 0;
    if (entries != 0 && found != shares_.end()) {
        region.mean_length = found->second.present / region.team / static_cast<double>(entries);
    }
    std::sort(region.work.begin(), region.work.end(),
              [this](const ThreadWork &a, const ThreadWork &b) {
                  return process_.threads[a.thread].tid < process_.threads[b.thread].tid;
              });
    if (!region.work.empty()) {
        const auto less = [](const ThreadWork &a, const ThreadWork &b) {
            return a.seconds < b.seconds;
        };
        region.work_min = std::min_element(region.work.begin(), region.work.end(), less)->seconds;
        region.work_max = std::max_element(region.work.begin(), region.work.end(), less)->seconds;
        for (const ThreadWork &work : region.work) {
            region.work_mean += work.seconds / static_cast<double>(region.work.size());
        }
    }
}

void Maker::add_regions() {
    std::map<std::pair<int, unsigned>, double> work;
    for (const Cell &cell : process_.cells) {
        figures_.samples += cell.samples;
        const int node = region_of(process_, cell.node);
        if (node == kOutside || node == kSeveral) {
            figures_.outside.wall[state_within(cell)] += cell.wall;
            figures_.outside.cpu[state_within(cell)] += cell.cpu;
            continue;
        }
        RegionFigures &to = region(node);
        to.samples += cell.samples;
        to.state_samples[state_within(cell)] += cell.samples;
        to.times.wall[state_within(cell)] += cell.wall;
        to.times.cpu[state_within(cell)] += cell.cpu;
        to.gain_samples += is_lost(state_within(cell)) ? cell.samples : 0;
        const StateKind kind = kind_of_state(state_within(cell));
        if (kind == StateKind::kUseful) {
            // Work in processor seconds is the same on a busy machine.
            work[{node, cell.thread}] += process_.has_cpu_times ? cell.cpu : cell.wall;
        } else if (kind != StateKind::kIdle) {
            work[{node, cell.thread}] += 0;
        }
    }
    for (int node = 0; static_cast<size_t>(node) < process_.nodes.size(); ++node) {
        if (region_of(process_, node) == node) {
            region(node);
        }
    }
    for (const auto &[key, seconds] : work) {
        region(key.first).work.push_back({key.second, seconds});
    }
    for (RegionFigures &each : figures_.regions) {
        finish(each);
    }
    std::stable_sort(figures_.regions.begin(), figures_.regions.end(),
                     [](const RegionFigures &a, const RegionFigures &b) { return a.own > b.own; });
}

Figures Maker::make() {
    figures_.efficiency = efficiency();
    add_regions();
    return std::move(figures_);
}

} // namespace

Figures figures_of(const Process &process) {
    return Maker(process).make();
}

} // namespace ompcollect::report
