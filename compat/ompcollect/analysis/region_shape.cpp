// SPDX-License-Identifier: Apache-2.0
#include "region_shape.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ompcollect::report {

unsigned usable_threads(const Process &process, unsigned threads) {
    return process.processors != 0 ? std::min(threads, process.processors) : threads;
}

std::map<int, Whole> wholes_of(const Process &process, const Figures &figures) {
    std::map<int, Whole> to;
    for (const Cell &cell : process.cells) {
        const int outermost = outermost_of(process, cell.node);
        const unsigned within = state_within(cell);
        const StateKind kind = kind_of_state(within);
        if ((outermost < 0 && outermost != kUnknown) || kind == StateKind::kIdle) {
            continue;
        }
        Whole &whole = to[outermost];
        whole.samples += cell.samples;
        whole.present[cell.thread] += cell.wall;
        const bool is_apart = cell.state == kNoProcessorState;
        const bool is_mixed = kind == StateKind::kUseful && cell.state != kAsleepState &&
                              process.has_cpu_times && !is_apart;
        const double off = is_apart   ? cell.wall
                           : is_mixed ? std::max(0.0, cell.wall - cell.cpu)
                                      : 0;
        whole.no_processor += off;
        whole.no_processor_in[region_of(process, cell.node)] += off;
        if (kind == StateKind::kUseful && cell.state != kAsleepState) {
            whole.useful += cell.wall - off;
        } else if (is_known(cell.cpu) && is_short_lived(process, cell.thread)) {
            whole.useful += cell.cpu;
        }
    }
    for (const RegionFigures &each : figures.regions) {
        const int outermost = outermost_of(process, each.node);
        const bool is_inside = outermost != each.node;
        to[outermost].has_teams_inside |= is_inside && each.team > 1;
    }
    return to;
}

double stopped_by_quota(const Process &process, unsigned threads) {
    return std::min(process.seconds,
                    process.throttled_seconds / std::max(1U, usable_threads(process, threads)));
}

double own_part_of_waiting(const Process &process) {
    if (is_known(process.waited_for_own) && is_known(process.waited_for_others)) {
        const double sum = process.waited_for_own + process.waited_for_others;
        return sum > 0 ? process.waited_for_own / sum : 0;
    }
    const unsigned bound = bound_processors(process);
    const unsigned processors =
        bound != 0 ? std::min(bound, process.processors) : process.processors;
    return processors != 0 && process.most_threads > processors ? 1 : 0;
}

double taken_by_others(const Process &process) {
    if (!is_known(process.waited_for_others)) {
        return 0;
    }
    // While a quota stopped all of the process's threads, others took nothing from them.
    const double others = std::max(0.0, process.waited_for_others - process.throttled_seconds);
    const double wanted = process.cpu_seconds + process.waited_for_own + others;
    return wanted > 0 ? others / wanted : 0;
}

IdleAwake idle_awake(const Process &process) {
    IdleAwake to;
    for (const Cell &cell : process.cells) {
        if (kind_of_state(state_within(cell)) == StateKind::kIdle && is_known(cell.cpu)) {
            to.seconds += cell.cpu;
            to.samples += cell.cpu > 0 ? cell.samples : 0;
        }
    }
    return to;
}

bool is_shared(const Process &process) {
    return taken_by_others(process) > limit(Limit::kNoticed);
}

unsigned bound_processors(const Process &process) {
    std::set<uint64_t> all;
    constexpr uint64_t kMost = 65536;
    for (const Thread &thread : process.threads) {
        const std::vector<uint64_t> &ranges = thread.fewest_processors;
        if (ranges.empty()) {
            return 0;
        }
        for (size_t i = 0; i + 1 < ranges.size(); i += 2) {
            for (uint64_t at = ranges[i]; at <= std::min(ranges[i + 1], kMost); ++at) {
                all.insert(at);
            }
        }
    }
    return static_cast<unsigned>(all.size());
}

bool is_bound_at_times(const Process &process) {
    return std::any_of(process.threads.begin(), process.threads.end(), [](const Thread &thread) {
        return thread.fewest_processors != thread.last_processors;
    });
}

uint64_t workers_of(const Process &process) {
    uint64_t workers = 0;
    for (const Thread &thread : process.threads) {
        const bool forks = thread.events.size() > OMP_EVENT_FORK && thread.events[OMP_EVENT_FORK];
        workers += forks || thread.is_initial ? 0 : thread.threads;
    }
    return workers;
}

uint64_t forks_of(const Process &process) {
    return process.events.size() > OMP_EVENT_FORK ? process.events[OMP_EVENT_FORK].count : 0;
}

bool remakes_teams(const Process &process) {
    const double more = static_cast<double>(workers_of(process)) - process.most_threads;
    const auto forks = static_cast<double>(forks_of(process));
    return forks > 0 && more >= limit(Limit::kOften) && more >= limit(Limit::kQuarter) * forks;
}

// By work, not by length: on a busy machine an entry is long because threads wait for team-mates.
bool is_tiny(const Process &process, const RegionFigures &region) {
    const auto count = static_cast<double>(
        region.node < 0 ? 0 : process.nodes[static_cast<size_t>(region.node)].entries);
    double lost = region.idle_outside;
    for (const ThreadWork &thread : region.work) {
        lost += thread.waited + thread.idle + thread.runtime + thread.for_tasks;
    }
    const bool has_others = region.team >= 2 || region.idle_outside > 0;
    return has_others && count >= limit(Limit::kOften) &&
           region.work_mean < limit(Limit::kTinyWork) * count &&
           lost > limit(Limit::kNoticed) * region.own;
}

bool is_busy_with_tasks(const RegionFigures &region) {
    const auto most = std::max_element(
        region.work.begin(), region.work.end(),
        [](const ThreadWork &a, const ThreadWork &b) { return a.seconds < b.seconds; });
    const double all = sum_of(region, &ThreadWork::runtime);
    const double work =
        sum_of(region, &ThreadWork::seconds) + sum_of(region, &ThreadWork::no_processor);
    return region.single_seconds > 0 && most != region.work.end() && most->runtime > 0 &&
           most->runtime >= limit(Limit::kQuarter) * most->seconds &&
           (most->runtime >= limit(Limit::kMost) * all || all > work);
}

Cause lock_cause(const Process &process) {
    double all = 0;
    double worst = 0;
    for (const Lock &lock : process.locks) {
        if (lock.state == THR_LKWT_STATE) {
            all += lock.wall;
            worst = std::max(worst, lock.wall);
        }
    }
    return worst > 0 && worst >= limit(Limit::kMost) * all ? Cause::kLockConvoy : Cause::kLocks;
}

bool waits_for_tasks(const RegionFigures &region) {
    return sum_of(region, &ThreadWork::for_tasks) >
           limit(Limit::kMuch) * sum_of(region, &ThreadWork::seconds);
}

std::map<int, OwnWork> own_work_of(const Process &process) {
    const auto node_of = [&](int node) -> const Node & {
        return process.nodes[static_cast<size_t>(node)];
    };
    std::map<int, OwnWork> to;
    for (const Cell &cell : process.cells) {
        int node = cell.node;
        const int region = region_of(process, node);
        while (node >= 0 && node != region && node_of(node).source.empty()) {
            node = node_of(node).parent;
        }
        if (node >= 0 && node == region && state_within(cell) == THR_WORK_STATE) {
            OwnWork &own = to[region];
            (cell.state == kNoProcessorState ? own.no_processor : own.work) += cell.wall;
            own.samples += cell.samples;
        }
    }
    return to;
}

bool is_graded(const RegionFigures &region) {
    if (region.work.size() < 3) {
        return false;
    }
    const double mean_step =
        (region.work_max - region.work_min) / static_cast<double>(region.work.size() - 1);
    size_t up = 0;
    size_t down = 0;
    for (size_t i = 1; i < region.work.size(); ++i) {
        const double change = region.work[i].seconds - region.work[i - 1].seconds;
        up += change > limit(Limit::kQuarter) * mean_step;
        down += change < -limit(Limit::kQuarter) * mean_step;
    }
    return up == region.work.size() - 1 || down == region.work.size() - 1;
}

bool is_short_lived(const Process &process, unsigned thread) {
    const Thread &at = process.threads[thread];
    return at.samples < fewest_samples() && process.rate != 0 && is_known(at.cpu_seconds) &&
           at.cpu_seconds < limit(Limit::kShortLife) / process.rate;
}

bool idles_in_region(const Process &process) {
    return process.ompt_generation.starts_with("TR2");
}

uint64_t samples_of_waits(const Process &process, const RegionFigures &region) {
    const auto &samples = region.within_samples;
    return samples[THR_IBAR_STATE] + samples[THR_EBAR_STATE] +
           (idles_in_region(process) ? samples[THR_IDLE_STATE] : 0) +
           (process.has_wall_times ? 0 : samples[THR_WORK_STATE]);
}

double sum_of(const RegionFigures &region, double ThreadWork::*part) {
    double sum = 0;
    for (const ThreadWork &thread : region.work) {
        sum += thread.*part;
    }
    return sum;
}

double waited_in_barriers(const RegionFigures &region) {
    return sum_of(region, &ThreadWork::waited) / std::max(1U, region.team);
}

double without_processor(const RegionFigures &region) {
    return sum_of(region, &ThreadWork::no_processor) / std::max(1U, region.team);
}

double executed(const RegionFigures &region) {
    double sum = 0;
    for (unsigned state = 0; state < kContractStates; ++state) {
        const StateKind kind = kind_of_state(state);
        const bool is_waiting = kind == StateKind::kBarrier || kind == StateKind::kIdle;
        sum += is_waiting ? 0 : region.times.wall[state];
    }
    return sum;
}

double without_work(const RegionFigures &region) {
    const double working =
        sum_of(region, &ThreadWork::seconds) + sum_of(region, &ThreadWork::no_processor);
    return std::max(0.0, region.elapsed - working / std::max(1U, region.team));
}

bool is_waited_for(double waited, double by_work) {
    return waited >= (1 - limit(Limit::kQuarter)) * by_work;
}

bool is_certain(const RegionFigures &region, double by_thread) {
    const auto samples = static_cast<double>(region.within_samples[THR_WORK_STATE]);
    return by_thread * std::sqrt(samples / std::max(1U, region.team)) > limit(Limit::kDeviations);
}

namespace {

// Elapsed seconds that the region's threads wait for the one that takes longest.
double waits_for_most(const RegionFigures &region, double most, double mean) {
    return static_cast<double>(region.work.size()) * (most - mean) / std::max(1U, region.team);
}

// The same for threads that spend unequal times on something other than work.
double waits_by(const RegionFigures &region, double ThreadWork::*part) {
    double most = 0;
    for (const ThreadWork &thread : region.work) {
        most = std::max(most, thread.*part);
    }
    const auto threads = static_cast<double>(std::max<size_t>(1, region.work.size()));
    return waits_for_most(region, most, sum_of(region, part) / threads);
}

} // namespace

double waits_by_work(const RegionFigures &region) {
    return waits_for_most(region, region.work_max, region.work_mean);
}

double waits_by_mpi(const RegionFigures &region) {
    const auto last = std::max_element(
        region.work.begin(), region.work.end(),
        [](const ThreadWork &a, const ThreadWork &b) { return a.active() < b.active(); });
    double waits = 0;
    for (const ThreadWork &thread : region.work) {
        const double active = thread.active();
        waits += last->active() - active - std::max(0.0, last->busy() - active);
    }
    return waits / std::max(1U, region.team);
}

double mpi_by_the_clock(const RegionFigures &region) {
    double most = 0;
    double busiest = 0;
    for (const ThreadWork &thread : region.work) {
        most = std::max(most, thread.in_mpi);
        busiest = std::max(busiest, thread.busy());
    }
    return std::clamp(region.elapsed - busiest, 0.0, most);
}

ExplainedWaits explained_waits(const RegionFigures &region, double waited) {
    const double asleep = sum_of(region, &ThreadWork::asleep);
    const double runtime = sum_of(region, &ThreadWork::runtime);
    const double others = (region.team - 1.0) / region.team;
    const double rest = std::max(0.0, waited - waits_by_work(region));
    ExplainedWaits to;
    to.for_sleep = std::min(rest, asleep * others);
    to.for_queues = std::min(rest - to.for_sleep, waits_by(region, &ThreadWork::queued));
    to.for_runtime = std::min(rest - to.for_sleep - to.for_queues, runtime * others);
    return to;
}

} // namespace ompcollect::report
