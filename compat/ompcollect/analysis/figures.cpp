// SPDX-License-Identifier: Apache-2.0
#include "region_figures.h"

#include "pragma_lines.h"
#include "region_shape.h"
#include "serial_place.h"
#include "time_class.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

namespace ompcollect::report {
namespace {

// Time of one thread in a region, regions inside it included.
struct Share {
    double present = 0; // not idle
};
using Shares = std::map<unsigned, Share>; // by thread

StateKind kind_within(const Cell &cell) {
    return kind_of_state(state_within(cell));
}

Share share_of(const Cell &cell) {
    return {kind_within(cell) == StateKind::kIdle ? 0 : cell.wall};
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
        present += more.present;
        longest = std::max(longest, share.present);
    }
};

// Merges the inner list into the outer one: the smaller list moves. The inner region keeps its
// sums.
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

// By region, and for kUnknown. The smaller list is merged into the larger one. So a thread's share
// is moved a few times only, even in deeply nested regions.
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

// Processor time of threads outside of regions, without idle workers.
double processor_time_of_outside(const Process &process) {
    double sum = 0;
    for (const Cell &cell : process.cells) {
        const bool is_idle = kind_within(cell) == StateKind::kIdle;
        sum += region_of(process, cell.node) == kOutside && !is_idle ? cell.wall : 0;
    }
    return sum;
}

class FigureBuilder {
  public:
    explicit FigureBuilder(const Process &process)
        : process_(process), classes_(process), task_waits_(process), forking_threads_(process),
          shares_(inclusive_of(process)), remakes_teams_(remakes_teams(process)) {
        for (const Cell &cell : process.cells) {
            if (kind_within(cell) != StateKind::kIdle) {
                own_threads_[region_of(process, cell.node)].insert(cell.thread);
            }
        }
    }
    Figures make();

  private:
    [[nodiscard]] Efficiency efficiency() const;
    void rate_losses();
    void add_cell(const Cell &cell);
    ThreadWork &work(int node, unsigned thread);
    void add_gains();
    void add_regions();
    static void bound_task_waits(RegionFigures &region);
    void bound_idleness(RegionFigures &region) const;
    RegionFigures &region(int node);
    void finish(RegionFigures &region) const;
    [[nodiscard]] unsigned own_threads(int node) const;
    [[nodiscard]] unsigned team_of(int node) const;
    [[nodiscard]] bool is_outermost(int node) const {
        return node >= 0 && outermost_of(process_, node) == node;
    }

    const Process &process_;
    const TimeClasses classes_;
    const TaskWaits task_waits_;
    const ForkingThreads forking_threads_;
    const std::map<int, Inclusive> shares_;
    const bool remakes_teams_;
    std::map<int, std::set<unsigned>> own_threads_; // not idle, regions inside left out
    std::map<int, size_t> index_;
    std::map<std::pair<int, unsigned>, ThreadWork> work_; // by region and thread
    Figures figures_;
};

// Regions run at least as long as the thread that was longest in them. Where several threads fork
// in turn they run longer than that, and the sampling thread's looks count.
Efficiency FigureBuilder::efficiency() const {
    Efficiency to;
    to.elapsed = process_.seconds;
    to.threads = process_.most_threads ? process_.most_threads
                                       : static_cast<unsigned>(process_.threads.size());
    to.threads = std::max(to.threads, 1U);
    if (to.elapsed <= 0) {
        return to;
    }
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
    if (is_known(process_.in_regions_seconds) && forking_threads_.count() > 1) {
        parallel_time = std::max(parallel_time, process_.in_regions_seconds);
    }
    to.serial = to.elapsed - std::min(parallel_time, to.elapsed);
    if (!process_.has_wall_times) { // the rest is not known
        to.serial = std::min(to.serial, processor_time_of_outside(process_));
    }
    double wall = 0;
    double cpu = 0;
    for (const Cell &cell : process_.cells) {
        if (state_within(cell) == THR_WORK_STATE && cell.state != kAsleepState &&
            is_known(cell.cpu)) {
            wall += cell.wall;
            cpu += cell.cpu;
        }
    }
    to.on_processor = process_.has_cpu_times && process_.has_wall_times && wall > 0
                          ? std::min(1.0, cpu / wall)
                          : 1;
    return to;
}

void FigureBuilder::rate_losses() {
    Efficiency &all = figures_.efficiency;
    if (all.elapsed <= 0) {
        return;
    }
    LostShares lost;
    double sampled = 0;
    uint64_t samples = 0;
    for (const Loss &loss : figures_.losses) {
        lost[cause_kind(loss.cause)] += loss.seconds / all.elapsed;
        sampled += loss.is_measured ? 0 : loss.seconds / all.elapsed;
        samples += loss.is_measured ? 0 : loss.samples;
    }
    all.error = error_of_share(sampled, samples);
    rate(all, lost);
}

RegionFigures &FigureBuilder::region(int node) {
    const auto [found, is_new] = index_.try_emplace(node, figures_.regions.size());
    if (is_new) {
        figures_.regions.emplace_back().node = node;
    }
    return figures_.regions[found->second];
}

// How many threads were seen in the region itself; without any, those of regions inside it.
unsigned FigureBuilder::own_threads(int node) const {
    const auto own = own_threads_.find(node);
    if (own != own_threads_.end()) {
        return static_cast<unsigned>(own->second.size());
    }
    const auto found = shares_.find(node);
    return found == shares_.end() ? 1U : static_cast<unsigned>(found->second.threads);
}

// A region inside another one is forked by several threads at the same time.
unsigned FigureBuilder::team_of(int node) const {
    const unsigned most = process_.most_threads != 0 ? process_.most_threads : own_threads(node);
    unsigned threads = std::clamp(own_threads(node), 1U, std::max(most, 1U));
    const auto found = shares_.find(node);
    if (remakes_teams_ && found != shares_.end() && found->second.longest > 0) {
        // The mean number of threads that were there at the same time.
        const double at_once = std::ceil(found->second.present / found->second.longest);
        threads = std::clamp(static_cast<unsigned>(at_once), 1U, threads);
    }
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

void FigureBuilder::finish(RegionFigures &region) const {
    const auto found = shares_.find(region.node);
    if (found != shares_.end()) {
        region.threads = found->second.present_threads;
        region.elapsed = found->second.longest;
    }
    region.team = team_of(region.node);
    for (unsigned state = 0; state < kStateColumns; ++state) {
        region.own += kind_of_state(state) == StateKind::kIdle ? 0 : region.within.wall[state];
    }
    const double waited = region.within.wall[THR_IBAR_STATE] + region.within.wall[THR_EBAR_STATE];
    // In a team of one nobody waits.
    if (region.team == 1 && region.work.size() > 1 &&
        waited > limit(Limit::kNoticed) * region.own) {
        region.team = static_cast<unsigned>(region.work.size());
    }
    if (region.node >= 0) {
        region.entries = process_.nodes[static_cast<size_t>(region.node)].entries;
        region.single_seconds = process_.nodes[static_cast<size_t>(region.node)].single_seconds;
    }
    if (region.entries != 0 && found != shares_.end()) {
        region.mean_length =
            found->second.present / region.team / static_cast<double>(region.entries);
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
        const size_t threads = remakes_teams_ ? region.team : region.work.size();
        for (const ThreadWork &work : region.work) {
            region.work_mean += work.seconds / static_cast<double>(threads);
        }
    }
}

ThreadWork &FigureBuilder::work(int node, unsigned thread) {
    ThreadWork &to = work_[{node, thread}];
    to.thread = thread;
    return to;
}

void FigureBuilder::add_cell(const Cell &cell) {
    const int node = region_of(process_, cell.node);
    const unsigned within = state_within(cell);
    const double cpu = is_known(cell.cpu) ? cell.cpu : 0;
    if (node == kOutside || node == kSeveral) {
        figures_.outside.wall[cell.state] += cell.wall;
        figures_.outside.cpu[cell.state] += cpu;
        return;
    }
    RegionFigures &to = region(node);
    to.samples += cell.samples;
    to.within_samples[within] += cell.samples;
    to.times.wall[cell.state] += cell.wall;
    to.times.cpu[cell.state] += cpu;
    to.within.wall[within] += cell.wall;
    to.within.cpu[within] += cpu;
    const Cause wait = own_wait_of(classes_, cell);
    if (wait != Cause::kCount) {
        to.own_waits[wait].seconds += cell.wall;
        to.own_waits[wait].samples += cell.samples;
    }
    const StateKind kind = kind_of_state(within);
    ThreadWork &thread = work(node, cell.thread);
    if (wait == Cause::kMpi) {
        thread.in_mpi += cell.wall;
    } else if (kind == StateKind::kBarrier) {
        thread.waited += cell.wall;
    } else if (kind == StateKind::kIdle) {
        thread.idle += cell.wall;
    } else if (kind == StateKind::kRuntime) {
        const double part = task_waits_.part_of(cell);
        thread.for_tasks += part * cell.wall;
        thread.runtime += (1 - part) * cell.wall;
        to.task_wait_samples += part * static_cast<double>(cell.samples);
    } else if (kind == StateKind::kMutex || wait == Cause::kForeignLock ||
               wait == Cause::kOwnThread) {
        thread.queued += cell.wall;
    } else if (cell.state == kAsleepState) {
        thread.asleep += cell.wall;
    } else if (cell.state == kNoProcessorState) {
        thread.no_processor += cell.wall;
    } else if (kind == StateKind::kUseful) {
        // Work in processor seconds is the same on a busy machine.
        thread.seconds += process_.has_cpu_times ? cpu : cell.wall;
        thread.no_processor += process_.has_cpu_times ? std::max(0.0, cell.wall - cpu) : 0;
    }
}

void FigureBuilder::add_regions() {
    for (const Cell &cell : process_.cells) {
        figures_.samples += cell.samples;
        add_cell(cell);
    }
    for (int node = 0; static_cast<size_t>(node) < process_.nodes.size(); ++node) {
        if (region_of(process_, node) == node) {
            region(node);
        }
    }
    const bool idle_is_waiting = idles_in_region(process_);
    for (auto &[key, thread] : work_) {
        RegionFigures &to = region(key.first);
        const auto own = own_threads_.find(key.first);
        if (own == own_threads_.end() || own->second.count(key.second) == 0) {
            to.idle_outside += thread.idle;
            continue;
        }
        if (idle_is_waiting) {
            thread.waited += thread.idle;
            thread.idle = 0;
        }
        to.work.push_back(thread);
    }
    for (RegionFigures &each : figures_.regions) {
        finish(each);
        bound_idleness(each);
        bound_task_waits(each);
    }
    std::stable_sort(figures_.regions.begin(), figures_.regions.end(),
                     [](const RegionFigures &a, const RegionFigures &b) { return a.own > b.own; });
}

// No thread waits for tasks longer than its team-mates execute them. The rest is the runtime's work
// for tasks that are too small.
void FigureBuilder::bound_task_waits(RegionFigures &region) {
    double all = 0;
    for (const ThreadWork &thread : region.work) {
        all += thread.in_own_code();
    }
    const double before = sum_of(region, &ThreadWork::for_tasks);
    for (ThreadWork &thread : region.work) {
        const double waits = std::min(thread.for_tasks, all - thread.in_own_code());
        thread.runtime += thread.for_tasks - waits;
        thread.for_tasks = waits;
    }
    region.task_wait_samples *= before > 0 ? sum_of(region, &ThreadWork::for_tasks) / before : 0;
}

// A late thread is missing in the region's team. Idle workers of other forking threads' pools are
// not, though they may be of the same team at other times. For nested regions the bound is wider.
void FigureBuilder::bound_idleness(RegionFigures &region) const {
    const auto shares = shares_.find(region.node);
    if (forking_threads_.count() < 2 || !is_outermost(region.node) || shares == shares_.end() ||
        region.team == 0) {
        return;
    }
    double teams = 0; // thread seconds that teams of so many threads have
    double present = 0;
    double idle = 0;
    for (const auto &[thread, share] : shares->second.shares) {
        teams += forking_threads_.has(thread) ? region.team * share.present : 0;
        present += share.present;
    }
    for (const ThreadWork &thread : region.work) {
        idle += thread.idle;
    }
    const double late = std::clamp(teams - present, 0.0, idle);
    for (ThreadWork &thread : region.work) {
        thread.idle *= late / std::max(idle, 1e-12);
    }
    const unsigned usable = usable_threads(process_, figures_.efficiency.threads);
    const unsigned more = usable > region.team ? usable - region.team : 0;
    region.idle_outside = std::min(region.idle_outside, teams / region.team * more);
}

void FigureBuilder::add_gains() {
    std::map<int, RegionFigures *> by_node;
    for (RegionFigures &each : figures_.regions) {
        by_node[each.node] = &each;
    }
    for (const Loss &loss : figures_.losses) {
        const auto found = by_node.find(region_of(process_, loss.node));
        if (found != by_node.end()) {
            found->second->gain += loss.seconds;
            found->second->gain_samples += loss.samples;
        }
    }
}

Figures FigureBuilder::make() {
    figures_.efficiency = efficiency();
    add_regions();
    figures_.losses = losses_of(process_, figures_);
    rate_losses();
    add_gains();
    return std::move(figures_);
}

} // namespace

void rate(Efficiency &to, const LostShares &lost) {
    double left = 1;
    double *const rates[] = {&to.mpi, &to.serialisation, &to.load_balance, &to.scheduling};
    static_assert(std::size(rates) == std::size(LostShares().of));
    for (size_t kind = 0; kind < std::size(rates); ++kind) {
        const double before = left;
        left = std::max(0.0, before - lost.of[kind]);
        *rates[kind] = before > 0 ? left / before : 1;
    }
    to.parallel = left;
}

Figures figures_of(const Process &process) {
    return FigureBuilder(process).make();
}

} // namespace ompcollect::report
