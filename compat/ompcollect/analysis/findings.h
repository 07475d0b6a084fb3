// SPDX-License-Identifier: Apache-2.0
//
// What costs a process most: by cause, each with its largest places, the numbers that speak for it
// and its cure. Made from the losses (region_figures.h).
#pragma once

#include "region_figures.h"

#include <string>
#include <vector>

namespace ompcollect::report {

// One place of a cause.
struct FindingPlace {
    int node = kOutside;
    std::string place;    // never empty
    double seconds = 0;   // of elapsed time that it costs
    double share = 0;     // of the elapsed time, 0 .. 1
    uint64_t samples = 0; // that show it
    int caller = -1;      // node: what calls a function; below 0: of a region, or not known
};

// What a thread did there, in seconds.
struct FindingThread {
    unsigned number = 0;
    double worked = 0;
    double waited = 0;
    double asleep = 0;
};

struct Finding {
    Cause cause = Cause::kSerial;
    int node = kOutside; // of the first place
    std::string place;   // the first one
    double seconds = 0;  // of elapsed time that the cause costs at all places
    double share = 0;    // of the elapsed time, 0 .. 1
    // In 19 of 20 runs the share lies between these, by the number of samples.
    double least_share = 0;
    double most_share = 0;
    uint64_t samples = 0;
    bool is_measured = false;           // by the clock at two events, not by samples
    bool is_at_most = false;            // an upper bound, as on a shared machine
    bool is_worth_it = true;            // the time of a reader
    std::string evidence;               // of the first place, a sentence without its end
    std::vector<FindingPlace> places;   // most expensive first; all of them
    std::vector<FindingThread> threads; // of the first place's region; none outside regions
};

inline constexpr size_t kMostFindings = 5;

// Most expensive first, at most kMostFindings. First of all are threads that lack processors
// because of the program itself: all else in their regions follows from that.
std::vector<Finding> findings_of(const Process &process, const Figures &figures);

// What is drawn from a process's samples, made once.
struct Conclusions {
    explicit Conclusions(const Process &process);

    Figures figures;
    std::vector<Finding> findings;
};

// All losses as a share of the elapsed time.
double lost_share(const Figures &figures);
// Mean seconds per thread that a run by the processor's clock (--clock cpu) has not measured.
double unseen_seconds(const Process &process);
// Why there is no finding: a sentence or two.
std::string no_finding(const Process &process, const Figures &figures);

} // namespace ompcollect::report
