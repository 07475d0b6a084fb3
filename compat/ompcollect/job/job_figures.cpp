// SPDX-License-Identifier: Apache-2.0
#include "job_figures.h"

#include "time_class.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <unordered_map>

namespace ompcollect::report {
namespace {

double ratio(double part, double whole) {
    return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 1;
}

} // namespace

double computing_seconds(const RankRow &rank) {
    return std::max(0.0, in_seconds(rank.elapsed) - in_seconds(rank.mpi_elapsed));
}

double on_processor(const Job &job) {
    double useful = 0;
    double off = 0;
    for (const RankRow &rank : job.ranks) {
        useful += in_seconds(rank.useful);
        off += in_seconds(rank.off_processor);
    }
    return ratio(useful, useful + off);
}

// Of an even number the greater one: where half of the ranks are slow, they stand out.
unsigned middle_megahertz(const Job &job) {
    std::vector<unsigned> known;
    for (const RankRow &rank : job.ranks) {
        if (rank.megahertz != 0) {
            known.push_back(rank.megahertz);
        }
    }
    if (known.size() < 2) {
        return 0;
    }
    const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
    std::nth_element(known.begin(), middle, known.end());
    return *middle;
}

bool is_slow(const RankRow &rank, unsigned middle) {
    return rank.megahertz != 0 && rank.megahertz < middle * (1 - limit(Limit::kNoticed));
}
bool is_fast(const RankRow &rank, unsigned middle) {
    return middle != 0 && rank.megahertz > middle * (1 + limit(Limit::kNoticed));
}

JobEfficiency job_efficiency(const Job &job) {
    JobEfficiency to;
    for (const RankRow &rank : job.ranks) {
        to.elapsed = std::max(to.elapsed, in_seconds(rank.elapsed));
        to.threads += rank.threads;
    }
    const double total = to.elapsed * to.threads;
    if (total <= 0) {
        return to;
    }
    std::unordered_map<PlaceKey, LostShares> of_rank; // elapsed seconds
    for (const RankLoss &loss : job.losses) {
        of_rank[loss.rank][cause_kind(loss.cause)] += in_seconds(loss.lost);
    }
    struct Host {
        double least = 0;
        double threads = 0;
    };
    std::map<std::string, Host> hosts;
    double least = to.elapsed;
    LostShares lost;
    for (const RankRow &rank : job.ranks) {
        LostShares &own = of_rank[rank.key];
        // A rank that was there for a shorter time is waited for no longer, and does not work.
        double &in_mpi = own[LossKind::kMpi];
        in_mpi = std::min(in_mpi + to.elapsed - in_seconds(rank.elapsed), to.elapsed);
        least = std::min(least, in_mpi);
        Host &host = hosts.try_emplace(rank.host, Host{in_mpi, 0}).first->second;
        host.least = std::min(host.least, in_mpi);
        host.threads += rank.threads;
        for (size_t kind = 0; kind < std::size(lost.of); ++kind) {
            lost.of[kind] += own.of[kind] * rank.threads / total;
        }
    }
    rate(to, lost);
    double least_of_hosts = 0; // each host as fast as its fastest rank
    for (const auto &[name, host] : hosts) {
        least_of_hosts += (to.elapsed - host.least) * host.threads;
    }
    const double outside = std::max(0.0, (1 - lost[LossKind::kMpi]) * total);
    to.mpi_communication = ratio(to.elapsed - least, to.elapsed);
    to.mpi_balance = ratio(outside, (to.elapsed - least) * to.threads);
    to.balance_between_hosts = ratio(least_of_hosts, (to.elapsed - least) * to.threads);
    to.balance_in_hosts = ratio(outside, least_of_hosts);
    to.openmp = to.serialisation * to.load_balance * to.scheduling;
    return to;
}

std::vector<JobRegionRow> job_regions(const Job &job) {
    std::unordered_map<PlaceKey, size_t> row_of;
    std::vector<JobRegionRow> rows;
    for (const JobRegion &region : job.regions) {
        row_of.emplace(region.key, rows.size());
        rows.emplace_back();
        rows.back().key = region.key;
        rows.back().name = region.name;
    }
    std::unordered_map<PlaceKey, size_t> rank_of;
    for (size_t i = 0; i < job.ranks.size(); ++i) {
        rank_of.emplace(job.ranks[i].key, i);
    }
    std::unordered_map<PlaceKey, std::unordered_map<size_t, double>> times; // by region and rank
    for (const RankRegion &time : job.rank_regions) {
        const auto row = row_of.find(time.region);
        const StateKind kind = kind_of_state(time.state);
        if (row == row_of.end() || kind == StateKind::kIdle) {
            continue;
        }
        rows[row->second].total += in_seconds(time.wall);
        const bool is_lost = kind == StateKind::kBarrier || kind == StateKind::kMutex ||
                             kind == StateKind::kReduction || kind == StateKind::kRuntime;
        rows[row->second].lost += is_lost || time.in_mpi ? in_seconds(time.wall) : 0;
        times[time.region][rank_of.at(time.rank)] += in_seconds(time.wall);
    }
    for (JobRegionRow &row : rows) {
        row.mean = job.ranks.empty() ? 0 : row.total / static_cast<double>(job.ranks.size());
        const auto &of_region = times[row.key];
        for (size_t i = 0; i < job.ranks.size(); ++i) {
            const auto found = of_region.find(i);
            const double time = found == of_region.end() ? 0 : found->second;
            if (i == 0 || time < row.least) {
                row.least = time;
                row.least_rank = i;
            }
            if (i == 0 || time > row.most) {
                row.most = time;
                row.most_rank = i;
            }
        }
    }
    std::sort(rows.begin(), rows.end(), [](const JobRegionRow &a, const JobRegionRow &b) {
        return a.total != b.total ? a.total > b.total : a.name < b.name;
    });
    return rows;
}

std::vector<JobPlace> mpi_calls(const Job &job) {
    const Process tree = as_process(job);
    const TimeClasses classes(tree);
    std::map<std::string, double> times;
    for (const Cell &cell : tree.cells) {
        if (classes.of(cell) == TimeClass::kMpi) {
            times[classes.mpi_call(cell.node)] += cell.wall;
        }
    }
    std::vector<JobPlace> calls;
    calls.reserve(times.size());
    for (const auto &[name, time] : times) {
        calls.push_back({name, time});
    }
    std::stable_sort(calls.begin(), calls.end(),
                     [](const JobPlace &a, const JobPlace &b) { return a.seconds > b.seconds; });
    return calls;
}

// Waits in MPI for another rank each time: their sums are those of a job that is even and has many
// messages. By the stretches of time that ranks' samples are kept in, others compute meanwhile.
namespace {

// Samples in MPI of one rank, by stretches of the job's time.
using Stretches = std::vector<double>;

struct Sampled {
    std::vector<Stretches> ranks; // all of the same length
    double seconds = 0;           // of a stretch
    double density = 0;           // samples of a second in MPI
};

// From where all ranks have begun to where the first of them ends.
Sampled sampled(const Job &job) {
    Sampled to;
    double samples = 0;
    double in_mpi = 0;
    int64_t begin = std::numeric_limits<int64_t>::min();
    int64_t end = std::numeric_limits<int64_t>::max();
    for (const RankRow &rank : job.ranks) {
        begin = std::max(begin, rank.begin_ns);
        end = std::min(end, rank.begin_ns + static_cast<int64_t>(rank.elapsed));
        in_mpi += in_seconds(rank.mpi_elapsed);
        to.seconds = in_seconds(uint64_t{1} << rank.bin_shift);
    }
    const auto count =
        static_cast<size_t>(std::max(0.0, static_cast<double>(end - begin) * 1e-9 / to.seconds));
    for (const RankRow &rank : job.ranks) {
        Stretches &own = to.ranks.emplace_back(count);
        const double before = static_cast<double>(begin - rank.begin_ns) * 1e-9 / to.seconds;
        for (const Bin &bin : rank.bins) {
            const double at = bin.bin + 0.5 - before;
            if ((bin.column & kMpiColumn) != 0 && at >= 0 && at < static_cast<double>(count)) {
                own[static_cast<size_t>(at)] += static_cast<double>(bin.samples);
            }
            samples += (bin.column & kMpiColumn) != 0 ? static_cast<double>(bin.samples) : 0;
        }
    }
    to.density = in_mpi > 0 ? samples / in_mpi : 0;
    return to;
}

// Two stretches become one.
void widen(Sampled &all) {
    for (Stretches &own : all.ranks) {
        for (size_t i = 0; i < own.size() / 2; ++i) {
            own[i] = own[2 * i] + own[2 * i + 1];
        }
        own.resize(own.size() / 2);
    }
    all.seconds *= 2;
}

// By stretches of this length.
double varying_by(const Sampled &all) {
    const size_t count = all.ranks.front().size();
    const double whole = all.density * all.seconds; // samples of a stretch in MPI
    std::vector<double> in_mpi;                     // of each rank, in stretches
    double common = 0;                              // all ranks are in MPI
    const auto share = [&](const Stretches &own, size_t i) {
        return std::min(1.0, own[i] / whole);
    };
    for (const Stretches &own : all.ranks) {
        double sum = 0;
        for (size_t i = 0; i < count; ++i) {
            sum += share(own, i);
        }
        in_mpi.push_back(sum);
    }
    const auto least = std::min_element(in_mpi.begin(), in_mpi.end());
    const Stretches &last = all.ranks[static_cast<size_t>(least - in_mpi.begin())];
    // The smallest of so many equal shares is smaller than their mean by so many deviations.
    const double deviations = std::sqrt(2 * std::log(static_cast<double>(all.ranks.size())));
    double chance = 0;
    for (size_t i = 0; i < count; ++i) {
        double smallest = 1;
        for (const Stretches &own : all.ranks) {
            smallest = std::min(smallest, share(own, i));
        }
        common += smallest;
        const double own = share(last, i);
        chance += deviations * std::sqrt(own * (1 - own) / whole);
    }
    const double varying = *least - common;
    return varying > limit(Limit::kDeviations) * chance ? varying * all.seconds : 0;
}

} // namespace

// Ranks take turns in steps of any length: shorter stretches show them, and have fewer samples.
double varying_seconds(const Job &job) {
    const bool has_samples = std::none_of(job.ranks.begin(), job.ranks.end(),
                                          [](const RankRow &rank) { return rank.bins.empty(); });
    if (job.ranks.size() < 2 || !has_samples) {
        return 0;
    }
    double most = 0;
    Sampled all = sampled(job);
    const auto fewest = static_cast<size_t>(limit(Limit::kFewestStretches));
    for (; all.density > 0 && all.ranks.front().size() >= fewest; widen(all)) {
        most = std::max(most, varying_by(all));
    }
    return most;
}

} // namespace ompcollect::report
