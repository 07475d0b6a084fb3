// SPDX-License-Identifier: Apache-2.0
//
// Whether a run had its processors. Where others took them, who waits for whom was theirs to
// decide: a run that is wrong is repeated then. One that had its processors has no second try.
#pragma once

#include "run.h"

namespace ocb_test {

constexpr int kMostRuns = 10;

// Where a host takes the processors of a virtual machine, the time goes on and no sample comes.
inline bool had_its_samples(const ompcollect::report::Process &process) {
    uint64_t came = 0;
    for (const ompcollect::report::Thread &thread : process.threads) {
        came += thread.samples;
    }
    return process.late_samples <= came / 2;
}

inline bool was_calm(const ompcollect::report::Process &process) {
    constexpr double kMuch = 0.2;
    double all = 0;
    double without = 0;
    for (const ompcollect::report::Cell &cell : process.cells) {
        all += cell.wall;
        without += cell.state == ompcollect::kNoProcessorState ? cell.wall : 0;
    }
    return without <= kMuch * all && had_its_samples(process);
}

} // namespace ocb_test
