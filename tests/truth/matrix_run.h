// SPDX-License-Identifier: Apache-2.0
// How a row of the matrix is run, whatever runtime it is on: tests/truth and tests/generations.
#pragma once

#include "checker.h"
#include "openmp_run.h"
#include "rows.h"

#include <functional>
#include <string>

namespace ocb_test {

// What the row itself asks for: its environment and its argument.
void add_row(const TruthRow &row, Options &options);

// How long a phase of the program lasts, and how often it is looked at: some 30 samples a phase, of
// twice the length in the long form. OCB_TRUTH_MS sets another length.
void sample_phases(Options &options);

// Other work on the machine may hold a thread between its mark and the construct for as long as it
// likes, and samples of that time count as wrong. So shares of samples have this many tries, each
// with phases of twice the length: what a thread loses when it is held is less of them then.
// A try whose long states lack samples, and that has no other fault, is not one of them: the
// machine gave the threads no processor. There may be so many tries in all.
constexpr int kTries = 5;
constexpr int kTriesInAll = 8;
Options with_longer_phases(Options options, int attempt); // the first is 0

// Runs the row's program and holds the log against it, after `adapt` has changed what the program
// said. Events, which do not depend on time, have one try. Where it cannot be judged, the test has
// failed fatally.
Verdict watch(const TruthRow &row, const Runtime &runtime, const Options &options,
              const std::function<void(Log &)> &adapt);

// A line each.
std::string text_of(const std::vector<std::string> &complaints);

} // namespace ocb_test
