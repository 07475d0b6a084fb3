// SPDX-License-Identifier: Apache-2.0
//
// What costs a process most, each with its place, its cause and its cure. A finding is one row of
// the table of causes in findings.cpp and the numbers that speak for it.
#pragma once

#include "blame.h"
#include "figures.h"

#include <string>
#include <vector>

namespace ompcollect::report {

enum class Cause : unsigned {
    kSerial,
    kTinyRegions,
    kImbalance,
    kSlantedWork, // work grows or falls from thread to thread
    kWanderingImbalance,
    kSingle,
    kLoneThread, // one thread of the team does nearly all
    kCritical,
    kLockConvoy,
    kLocks,
    kOrdered,
    kAtomic,
    kReduction,
    kRuntimeWork,
    kNestedOversubscription,
    kOversubscription,
    kCount
};
const char *cause_key(Cause cause);  // "serial-part", for machines
const char *cause_cure(Cause cause); // what a programmer can do about it

struct Finding {
    Cause cause = Cause::kSerial;
    int node = kOutside;
    std::string place;
    double seconds = 0;   // of elapsed time that it costs
    double share = 0;     // of the elapsed time, 0 .. 1
    uint64_t samples = 0; // that show it
    std::string evidence; // the cause, with its numbers and the samples
};

inline constexpr size_t kMostFindings = 5;
// Fewer samples than this say nothing: the error is a third and more.
inline constexpr uint64_t kLeastSamples = 9;
// A smaller part of the elapsed time is not worth a reader's time.
inline constexpr double kLeastShare = 0.01;

// Most expensive first, at most kMostFindings.
std::vector<Finding> findings_of(const Process &process, const Figures &figures);

} // namespace ompcollect::report
