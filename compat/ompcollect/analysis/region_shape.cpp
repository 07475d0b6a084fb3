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

double processors_beside_others(const Process &process, unsigned threads) {
    const double all = usable_threads(process, threads);
    if (!is_known(process.others_cpu_seconds) || process.seconds <= 0) {
        return all;
    }
    const double others = process.others_cpu_seconds / process.seconds;
    return std::max(all / 4, all - others);
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

// How long an entry took says less: on a busy machine threads wait for their team-mates.
bool is_tiny(const Process &process, const RegionFigures &region) {
    constexpr double kLittle = 100e-6;
    constexpr double kNoticeable = 0.05;
    constexpr uint64_t kOften = 100;
    const uint64_t count =
        region.node < 0 ? 0 : process.nodes[static_cast<size_t>(region.node)].entries;
    double lost = region.idle_outside;
    for (const ThreadWork &thread : region.work) {
        lost += thread.waited + thread.idle + thread.runtime + thread.for_tasks;
    }
    const bool has_others = region.team >= 2 || region.idle_outside > 0;
    return has_others && count >= kOften &&
           region.work_mean < kLittle * static_cast<double>(count) &&
           lost > kNoticeable * region.own;
}

bool is_busy_with_tasks(const RegionFigures &region) {
    const auto most = std::max_element(
        region.work.begin(), region.work.end(),
        [](const ThreadWork &a, const ThreadWork &b) { return a.seconds < b.seconds; });
    constexpr double kMuch = 0.2;
    constexpr double kMostOfIt = 0.6;
    const double all = sum_of(region, &ThreadWork::runtime);
    const double work =
        sum_of(region, &ThreadWork::seconds) + sum_of(region, &ThreadWork::no_processor);
    return most != region.work.end() && most->runtime > 0 &&
           most->runtime >= kMuch * most->seconds &&
           (most->runtime >= kMostOfIt * all || all > work);
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
    constexpr double kMost = 0.7;
    return worst > 0 && worst >= kMost * all ? Cause::kLockConvoy : Cause::kLocks;
}

bool waits_for_tasks(const RegionFigures &region) {
    constexpr double kMuch = 0.1; // of the work
    return sum_of(region, &ThreadWork::for_tasks) > kMuch * sum_of(region, &ThreadWork::seconds);
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

bool is_slanted(const RegionFigures &region) {
    if (region.work.size() < 3) {
        return false;
    }
    const double step =
        (region.work_max - region.work_min) / static_cast<double>(region.work.size() - 1);
    size_t up = 0;
    size_t down = 0;
    for (size_t i = 1; i < region.work.size(); ++i) {
        const double change = region.work[i].seconds - region.work[i - 1].seconds;
        up += change > step / 4;
        down += change < -step / 4;
    }
    return up == region.work.size() - 1 || down == region.work.size() - 1;
}

bool is_short_lived(const Process &process, unsigned thread) {
    constexpr uint64_t kFew = 8;
    const Thread &at = process.threads[thread];
    constexpr double kShort = 2; // periods
    return at.samples < kFew && process.rate != 0 && is_known(at.cpu_seconds) &&
           at.cpu_seconds < kShort / process.rate;
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

double without_rests(const RegionFigures &region) {
    const double rests = sum_of(region, &ThreadWork::asleep) + sum_of(region, &ThreadWork::queued) +
                         sum_of(region, &ThreadWork::in_mpi);
    return std::max(0.0, region.elapsed - rests / std::max(1U, region.team));
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

namespace {

// Seconds in which it neither waits for the others nor is in MPI.
double busy_seconds(const ThreadWork &thread) {
    return thread.seconds + thread.no_processor + thread.asleep + thread.queued + thread.runtime;
}

double active_seconds(const ThreadWork &thread) {
    return busy_seconds(thread) + thread.in_mpi;
}

} // namespace

double waits_for_mates(const RegionFigures &region) {
    double all = 0;
    for (const ThreadWork &thread : region.work) {
        all += active_seconds(thread);
    }
    double waits = 0;
    for (const ThreadWork &thread : region.work) {
        waits += std::min(thread.waited, all - active_seconds(thread));
    }
    return waits / std::max(1U, region.team);
}

double without_work(const RegionFigures &region) {
    const double working =
        sum_of(region, &ThreadWork::seconds) + sum_of(region, &ThreadWork::no_processor);
    return std::max(0.0, region.elapsed - working / std::max(1U, region.team));
}

bool is_waited_for(double waited, double by_work) {
    constexpr double kSampling = 0.8;
    return waited >= kSampling * by_work;
}

double awake_in_barriers(const RegionFigures &region) {
    const double ran = sum_of(region, &ThreadWork::ran);
    return ran > 0 ? region.elapsed * sum_of(region, &ThreadWork::awake) / ran : 0;
}

double waits_by_slices(const RegionFigures &region, double slice, double times) {
    const double off = without_processor(region);
    constexpr double kMeanDifference = 0.56; // of two Poisson counts, as part of their root
    return std::min(off * (region.team - 1), kMeanDifference * std::sqrt(slice * off * times));
}

bool is_certain(const RegionFigures &region, double by_thread) {
    const auto samples = static_cast<double>(region.within_samples[THR_WORK_STATE]);
    return by_thread * std::sqrt(samples / std::max(1U, region.team)) > 2;
}

namespace {

// Of what a thread ran in its laps, and as the last one.
struct LapWork {
    double all = 0;
    double late = 0;
    double apart = 0; // not in it: what it ran while it waited
};

// What it ran in barriers, awake, is by its samples. Of a lap that is in step with how long the
// thread waited in the first of its two barriers.
LapWork work_behind_barriers(const ThreadWork &thread, const Laps &laps) {
    const double awake = thread.ran > 0 ? laps.ran * thread.awake / thread.ran : 0;
    const double part = laps.waited > 0 ? std::min(1.0, laps.late_waited / laps.waited) : 0;
    return {laps.ran - awake, laps.late_ran - part * awake, awake};
}

// All of its laps begin at forks, where libgomp's master waits awake for workers that are late. Who
// has waited long comes late to the barrier, too: those laps may have all of it.
LapWork work_behind_forks(const RegionFigures &region, const ThreadWork &thread, const Laps &laps) {
    const double forks =
        std::min(1.0, static_cast<double>(laps.laps) / static_cast<double>(region.entries));
    const double apart = std::min(laps.ran, forks * thread.forking);
    return {laps.ran - apart, laps.late_ran - apart, apart};
}

// Each entry has one barrier at most, and nobody waited in a lap.
bool are_behind_forks(const RegionFigures &region) {
    double waited = 0;
    for (const auto &[thread, laps] : region.laps.of) {
        waited += laps.waited;
    }
    return region.entries != 0 && waited <= 0 &&
           region.laps.laps <= region.entries * std::max(1U, region.team);
}

LapWork work_in_laps(const RegionFigures &region, const ThreadWork &thread, const Laps &laps) {
    const LapWork work = are_behind_forks(region) ? work_behind_forks(region, thread, laps)
                                                  : work_behind_barriers(thread, laps);
    return {std::max(0.0, work.all), std::max(0.0, work.late), work.apart};
}

// Enough to speak for the others, or as many as there were entries: then each one has its laps.
bool are_enough(const RegionFigures &region) {
    const RegionLaps &all = region.laps;
    const uint64_t least =
        are_behind_forks(region) ? std::min(kLeastSamples, region.entries) : kLeastSamples;
    const double last = static_cast<double>(all.late) * static_cast<double>(region.team);
    const auto laps = static_cast<double>(all.laps);
    constexpr double kMost = 0.8;
    return region.team >= 2 && all.of.size() == region.team && all.laps >= least * region.team &&
           last >= kMost * laps && laps >= kMost * last;
}

} // namespace

// A barrier waits for its last thread: what that one ran is what the region takes, and what all ran
// in the mean is what it would take. Who lacks a processor for long may come last with less work
// than others: the region takes no less than the thread with most work in all of its laps.
LapShares lap_shares(const RegionFigures &region) {
    LapShares to;
    if (!are_enough(region)) {
        return to;
    }
    const RegionLaps &all = region.laps;
    const auto threads = static_cast<double>(region.team);
    const double last = static_cast<double>(all.late) * threads; // as many as laps
    double mean = 0;
    double most = 0;
    double longest = 0;
    double apart = 0;
    for (const ThreadWork &thread : region.work) {
        const auto laps = all.of.find(thread.thread);
        if (laps != all.of.end()) {
            const LapWork work = work_in_laps(region, thread, laps->second);
            mean += work.all / threads;
            apart += work.apart / threads;
            most = std::max(most, work.all);
            // The last thread of the last barriers is not known.
            longest += work.late * static_cast<double>(all.laps) / last;
        }
    }
    to.is_known = mean > 0 && longest > 0;
    if (to.is_known) {
        to.by_thread = 1 - mean / most;
        to.has_no_waits = are_behind_forks(region);
        constexpr double kLittle = 0.01; // else it is by samples
        const bool is_exact = to.has_no_waits && apart < kLittle * mean;
        const double least = is_exact || is_certain(region, to.by_thread) ? to.by_thread : 0;
        to.waits = std::max(1 - mean / longest, least);
    }
    return to;
}

namespace {

// Elapsed seconds that the region's threads wait for the one that takes longest.
double waits_for_most(const RegionFigures &region, double most, double mean) {
    return static_cast<double>(region.work.size()) * (most - mean) / std::max(1U, region.team);
}

// The same, where they do something else than work for unequal times.
double waits_by(const RegionFigures &region, double ThreadWork::*part) {
    double most = 0;
    for (const ThreadWork &thread : region.work) {
        most = std::max(most, thread.*part);
    }
    const auto threads = static_cast<double>(std::max<size_t>(1, region.work.size()));
    return waits_for_most(region, most, sum_of(region, part) / threads);
}

} // namespace

double without(double both, double one) {
    return std::sqrt(std::max(0.0, both * both - one * one));
}

double waits_by_work(const RegionFigures &region) {
    return waits_for_most(region, region.work_max, region.work_mean);
}

double waits_by_sleep(const RegionFigures &region) {
    return waits_by(region, &ThreadWork::asleep);
}

double waits_by_mpi(const RegionFigures &region) {
    const auto last = std::max_element(region.work.begin(), region.work.end(),
                                       [](const ThreadWork &a, const ThreadWork &b) {
                                           return active_seconds(a) < active_seconds(b);
                                       });
    double waits = 0;
    for (const ThreadWork &thread : region.work) {
        const double active = active_seconds(thread);
        waits += active_seconds(*last) - active - std::max(0.0, busy_seconds(*last) - active);
    }
    return waits / std::max(1U, region.team);
}

double mpi_by_the_clock(const RegionFigures &region) {
    double most = 0;
    double busiest = 0;
    for (const ThreadWork &thread : region.work) {
        most = std::max(most, thread.in_mpi);
        busiest = std::max(busiest, busy_seconds(thread));
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
