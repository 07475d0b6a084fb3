// SPDX-License-Identifier: Apache-2.0
//
// Figures of one process: the cost of each parallel region, all losses, and how well threads were
// used. Thread seconds are sums over threads; elapsed seconds are wall-clock time.
//
// The efficiencies are the field's (POP, TALP): of elapsed time x threads,
//   serialisation   what is left when one thread works alone outside regions,
//   load balance    of that, what is left when some threads of a region wait for others,
//   scheduling      of that, what is left when threads queue, or the runtime works.
// Their product is the parallel efficiency. It is one minus the share of all losses.
#pragma once

#include "causes.h"
#include "run.h"
#include "verdict_limits.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace ompcollect::report {

// Two standard deviations of a share that is measured by `samples` samples.
inline double error_of_share(double share, uint64_t samples) {
    return limit(Limit::kDeviations) * share /
           std::sqrt(static_cast<double>(std::max<uint64_t>(samples, 1)));
}
// The largest such error: that of one half.
inline double most_error(uint64_t samples) {
    return error_of_share(0.5, samples);
}

struct Efficiency {
    double elapsed = 0; // seconds
    unsigned threads = 0;
    double serial = 0; // elapsed seconds outside regions
    double mpi = 1;    // 1 where there is no MPI
    double serialisation = 1;
    double load_balance = 1;
    double scheduling = 1;
    double parallel = 1;     // their product
    double error = 0;        // of that: two standard deviations, by the samples of what is lost
    double on_processor = 1; // share of useful time with a processor; 1 where it is not known
};

// Of one thread in a region itself, by what OpenMP says (state_within), in seconds.
struct ThreadWork {
    unsigned thread = 0;     // index
    double seconds = 0;      // of useful time: on a processor where that is known
    double waited = 0;       // in barriers
    double asleep = 0;       // in its own code
    double no_processor = 0; // ready to run, in its own code
    double idle = 0;         // not, or not yet, in the team
    double runtime = 0;      // the runtime's own work
    double for_tasks = 0;    // waits for tasks of others, in taskwait
    double queued = 0;       // for mutexes, its turn, threads of the program
    double in_mpi = 0;       // in calls of MPI, whatever it did there

    // What team-mates may wait for: its own code, the same with the runtime's work, and MPI.
    [[nodiscard]] double in_own_code() const { return seconds + no_processor + asleep + queued; }
    [[nodiscard]] double busy() const { return in_own_code() + runtime; }
    [[nodiscard]] double active() const { return busy() + in_mpi; }
};

struct RegionFigures {
    int node = -1;
    unsigned team = 1;      // threads of one entry
    unsigned threads = 0;   // that were seen in it or in regions inside it
    double elapsed = 0;     // of the thread that was longest in it
    uint64_t entries = 0;   // 0: not known
    double mean_length = 0; // of one entry; 0: not known
    uint64_t samples = 0;
    StateTimes times;  // of its own, without regions inside it
    StateTimes within; // the same by OpenMP's state, whatever the system did with the thread
    uint64_t within_samples[kStateColumns] = {};
    double own = 0; // sum of them without idle threads: what its team has
    // Elapsed seconds that would be saved if no thread waited: all losses in the region.
    double gain = 0;
    uint64_t gain_samples = 0;
    std::vector<ThreadWork> work; // of the threads that were in it, in the order of creation
    double work_min = 0;
    double work_mean = 0;
    double work_max = 0;
    // Thread seconds of its own code by what that waits for (own_wait_of).
    struct Wait {
        double seconds = 0;
        uint64_t samples = 0;
    };
    std::map<Cause, Wait> own_waits;
    [[nodiscard]] Wait wait(Cause cause) const {
        const auto at = own_waits.find(cause);
        return at == own_waits.end() ? Wait{} : at->second;
    }
    double task_wait_samples = 0;
    double single_seconds = 0; // thread seconds in its single and master parts
    double idle_outside = 0;   // thread seconds of the run's other threads, while it ran
};

// Time lost to one cause at one place. Each second is in one of them.
struct Loss {
    Cause cause = Cause::kSerial;
    int node = kOutside; // of the region, or of the code
    double seconds = 0;  // elapsed time that it costs
    double thread_seconds = 0;
    uint64_t samples = 0;     // that show it
    bool is_measured = false; // by the clock at two events, not by samples
    int call = kNoCall;       // asleep outside regions: the call in which most of it is
};

// Losses of one cause, or of kinds of one family: of a process, or of all ranks of a job.
struct LossSum {
    double seconds = 0; // of elapsed time; of a job's: of its threads
    double measured = 0;
    uint64_t samples = 0;
    std::map<Cause, double> by_cause;

    void add(const Loss &loss, double weight = 1) {
        by_cause[loss.cause] += weight * loss.seconds;
        seconds += weight * loss.seconds;
        measured += loss.is_measured ? weight * loss.seconds : 0;
        samples += loss.samples;
    }
    [[nodiscard]] Cause cause() const { // that costs most
        return std::max_element(by_cause.begin(), by_cause.end(),
                                [](const auto &a, const auto &b) { return a.second < b.second; })
            ->first;
    }
    [[nodiscard]] bool is_measured() const { return measured > limit(Limit::kMajority) * seconds; }
    // `share`: their share of the whole time.
    [[nodiscard]] bool is_worth_it(double share) const {
        return (is_oversubscribed(cause()) && share >= limit(Limit::kShown)) ||
               (share >= limit(Limit::kWorthALine) &&
                (is_measured() || samples >= fewest_samples()));
    }
};

// The one formula of the efficiencies. The losses are subtracted one kind after the other; an
// efficiency is what is left, divided by what was there before. `lost`: each kind as a share of the
// time, by LossKind.
struct LostShares {
    double of[static_cast<size_t>(LossKind::kCount)] = {};
    double &operator[](LossKind kind) { return of[static_cast<size_t>(kind)]; }
};
void rate(Efficiency &to, const LostShares &lost);

struct Figures {
    Efficiency efficiency;
    std::vector<RegionFigures> regions; // most own time first
    std::vector<Loss> losses;           // in no order
    StateTimes outside;
    uint64_t samples = 0;
};

Figures figures_of(const Process &process);

// Where a process's time is lost, and to what cause: one rule for each kind of loss. Each lost
// second has one cause. docs/VERDICT.md has the rules. `figures` has the regions, and its
// `efficiency` the elapsed time, threads and serial time.
std::vector<Loss> losses_of(const Process &process, const Figures &figures);

} // namespace ompcollect::report
