// SPDX-License-Identifier: Apache-2.0
//
// Figures of one process: how well its threads were used, and what each parallel region costs.
// Thread seconds add up over threads; elapsed seconds are those of the clock on the wall.
//
// The efficiencies are the field's (POP, TALP): of elapsed time x threads,
//   serialisation   what is left when one thread works alone outside regions,
//   load balance    of that, what is left when some threads of a region wait for others,
//   scheduling      of that, what is left when all of them wait, or the runtime works.
// Their product is the parallel efficiency: useful time / (elapsed time x threads).
#pragma once

#include "run.h"

#include <cstdint>
#include <vector>

namespace ompcollect::report {

struct Efficiency {
    double elapsed = 0; // seconds
    unsigned threads = 0;
    double serial = 0; // elapsed seconds outside regions
    double serialisation = 1;
    double load_balance = 1;
    double scheduling = 1;
    double parallel = 1;     // their product
    double on_processor = 1; // share of useful time with a processor; 1 where it is not known
};

struct ThreadWork {
    unsigned thread = 0; // index
    double seconds = 0;  // of useful time in a region
};

struct RegionFigures {
    int node = -1;
    unsigned team = 1;      // threads of one entry
    unsigned threads = 0;   // that were seen in it or in regions inside it
    double elapsed = 0;     // of the thread that was longest in it
    double mean_length = 0; // of one entry; 0: not known
    uint64_t samples = 0;
    StateTimes times; // of its own, without regions inside it
    uint64_t state_samples[kStateColumns] = {};
    double own = 0; // sum of them without idle threads
    // Elapsed seconds that it would take less if nobody waited: waits and runtime / team.
    double gain = 0;
    uint64_t gain_samples = 0;
    std::vector<ThreadWork> work; // of the threads that were in it, in the order of creation
    double work_min = 0;
    double work_mean = 0;
    double work_max = 0;
};

struct Figures {
    Efficiency efficiency;
    std::vector<RegionFigures> regions; // most own time first
    StateTimes outside;
    uint64_t samples = 0;
};

Figures figures_of(const Process &process);

} // namespace ompcollect::report
