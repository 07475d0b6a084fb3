// SPDX-License-Identifier: Apache-2.0
//
// What figures are: of a process, of its regions, and what is lost in them.
#pragma once

#include "causes.h"
#include "run.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace ompcollect::report {

// Two standard deviations of a share that so many samples show.
inline double error_of_share(double share, uint64_t samples) {
    return 2 * share / std::sqrt(static_cast<double>(std::max<uint64_t>(samples, 1)));
}
// Of any share of so many samples, and none is off by more: two standard deviations of the half.
inline double most_error(uint64_t samples) {
    return 1 / std::sqrt(static_cast<double>(std::max<uint64_t>(samples, 1)));
}

// Fewer samples than this say nothing: the error is a third and more.
inline constexpr uint64_t kLeastSamples = 10;

struct Efficiency {
    double elapsed = 0; // seconds
    unsigned threads = 0;
    double serial = 0; // elapsed seconds outside regions
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
    double idle_off = 0;     // of that: ready to run, without a processor
    double off_meeting = 0;  // the same, and in barriers: who comes next to a fork waits for it
    double runtime = 0;      // the runtime's own work
    double queued = 0;       // for mutexes and its turn
    double ran = 0;          // on a processor, in whatever state
    double awake = 0;        // of that: in barriers
    double forking = 0;      // not of that: in the runtime, outside regions, for this one's forks
};

// From one barrier of a region to its next one (run.h), of all threads.
struct RegionLaps {
    uint64_t laps = 0;
    uint64_t late = 0;
    std::map<unsigned, Laps> of; // by thread
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
    // Elapsed seconds that it would take less if nobody waited: all losses in it.
    double gain = 0;
    uint64_t gain_samples = 0;
    std::vector<ThreadWork> work; // of the threads that were in it, in the order of creation
    double work_min = 0;
    double work_mean = 0;
    double work_max = 0;
    double idle_outside = 0; // thread seconds of the run's other threads, while it ran
    RegionLaps laps;
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

struct Figures {
    Efficiency efficiency;
    std::vector<RegionFigures> regions; // most own time first
    std::vector<Loss> losses;           // in no order
    StateTimes outside;
    uint64_t samples = 0;
};

} // namespace ompcollect::report
