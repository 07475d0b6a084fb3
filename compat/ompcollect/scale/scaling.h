// SPDX-License-Identifier: Apache-2.0
//
// How a program scales: runs of it with several numbers of threads, as one table. The efficiencies
// are POP's: global = parallel efficiency x computation scalability.
//   parallel efficiency        useful thread seconds / (elapsed x threads)
//   computation scalability    useful thread seconds of the first number of threads / its own
// Useful is a thread's work on a processor, in regions and outside. All values are medians of the
// repetitions.
#pragma once

#include "causes.h"
#include "fits.h"
#include "inflation.h"
#include "run.h"
#include "spread.h"

#include <map>
#include <string>
#include <vector>

namespace ompcollect::report {

// What a run of the program came to.
struct ScaleRun {
    unsigned threads = 0; // that it was asked to have
    unsigned number = 0;  // of the repetition, from 1
    Process process;
    std::string fault; // why it does not count; empty: it does
};

// Thread seconds, by what they went into.
struct ThreadSeconds {
    double useful = 0;
    std::map<Cause, double> lost;

    [[nodiscard]] double sum() const;
};

// The runs with one number of threads.
struct ScaleRow {
    unsigned threads = 0;
    unsigned seen_threads = 0; // the most that took part in OpenMP at the same time
    size_t runs = 0;           // that count
    bool is_beyond = false;    // more threads than processors: their numbers mean something else
    Middle elapsed;
    double speedup = 0;     // against the first row
    double parallel = 0;    // efficiency
    double scalability = 0; // of the computation
    ThreadSeconds seconds;
    [[nodiscard]] double global() const { return parallel * scalability; }
};

struct RegionAt {
    double elapsed = 0;
    ThreadSeconds seconds;
};

// A parallel region, or all that is outside of regions, with each number of threads.
struct RegionScaling {
    std::string name;
    std::vector<RegionAt> at; // by row
    int stops_at = -1; // the first row to which the step from the row before is lost; -1: none
    double more = 0;   // thread seconds of the last row beyond those of the first
};

// Of the processors that a row has more than the one before, and of those before, so much must
// become speed, or the region stops scaling there. POP calls efficiencies below it bad.
inline constexpr double kGoodStep = 0.8;

struct Scaling {
    std::string command;
    bool grows = false;      // the problem grows with the threads (weak scaling)
    unsigned processors = 0; // that the program may use; 0: not known
    std::vector<ScaleRow> rows;
    std::vector<RegionScaling> regions; // that stop first stand first, of these the dearest
    WorkInflation inflation;            // of the last row that is not beyond the processors
    std::vector<std::string> faults;    // of runs that do not count

    // Of the rows that are not beyond the processors, which come first: what the fits are made of.
    [[nodiscard]] std::vector<Timing> timings() const;
    // As many times the work of the first row this one has.
    [[nodiscard]] double growth_to(const ScaleRow &row) const {
        return grows ? static_cast<double>(row.threads) / rows.front().threads : 1;
    }
};

// The runs may be in any order. Runs of a number of threads none of which counts have no row.
Scaling scaling_of(const std::vector<ScaleRun> &runs, bool grows);

// Whether two outputs say the same, but for blanks, numbers with a fraction or an exponent, and the
// numbers of threads. Times and rounded sums differ between any two runs.
bool is_same_output(const std::string &one, unsigned threads, const std::string &other,
                    unsigned other_threads);

} // namespace ompcollect::report
