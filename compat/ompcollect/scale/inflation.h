// SPDX-License-Identifier: Apache-2.0
//
// Work that takes longer with more threads, which no state shows: useful thread time of a region
// with n threads over that with the first number. Hot atomics, shared cache lines, page faults,
// system calls and memory bandwidth are such causes. What the kernel has counted tells the last
// ones apart; the rest is the processor's.
#pragma once

#include "run.h"

#include <string>
#include <utility>
#include <vector>

namespace ompcollect::report {

struct InflatedRegion {
    std::string name;
    double first = 0; // useful thread seconds with the first number of threads, of the same work
    double last = 0;
    // Functions, and the thread seconds of work that each takes more there; most first.
    std::vector<std::pair<std::string, double>> functions;

    [[nodiscard]] double more() const { return last - first; }
    [[nodiscard]] double factor() const { return last / first; }
};

// Of a whole run, in the median of the repetitions.
struct KernelCounts {
    double seconds = 0; // of processors, in the kernel
    double page_faults = 0;
    double waits = 0; // switches of context because a thread waited
};

struct WorkInflation {
    unsigned threads = 0;                // that are compared with the first number; 0: nothing is
    std::vector<InflatedRegion> regions; // most seconds first
    KernelCounts first;
    KernelCounts last;

    [[nodiscard]] double more() const; // thread seconds of all these regions
    // Most of what the work takes more was in the kernel.
    [[nodiscard]] bool is_kernels() const;
};

// By how much a region's work must grow, and how much of the time of all threads that must be.
bool is_inflated(double first, double last, double all);

struct InflationInput {
    std::vector<const Process *> first; // runs with the first number of threads
    std::vector<const Process *> last;
    unsigned threads = 0;                // of the last
    double growth = 1;                   // times the work of the first
    double all = 0;                      // thread seconds of the last
    std::vector<InflatedRegion> regions; // all, without their functions
};
WorkInflation inflation_of(const InflationInput &input);

} // namespace ompcollect::report
