// SPDX-License-Identifier: Apache-2.0
//
// Runs of two builds of one program, with known times. main() prepares alone, then solve() has a
// region in which relax() works and thread 1 waits.
#pragma once

#include "compared_run.h"
#include "made_runs.h"
#include "matching.h"

#include <string>
#include <vector>

namespace ocb_test {

struct Build {
    std::string function = "relax";
    int line = 40;        // of the region
    bool inlined = false; // relax() is the region's own code
    double work = 4;      // thread seconds of relax()
    double own = 0.2;     // of the region's own code
    double waits = 1;     // of thread 1 in the barrier
    double serial = 1;
    bool other_region = false; // solve() has another one, before this one
};

inline Build with_work(double seconds) {
    Build build;
    build.work = seconds;
    return build;
}

inline Process built(const Build &build, double factor = 1) {
    const double work = build.work * factor;
    MadeProcess made(2, build.serial * factor + work / 2 + build.waits);
    const int main = made.function("main", 90);
    const int prepare = made.function("prepare", 10, main);
    const int solve = made.function("solve", 30, main);
    if (build.other_region) {
        const int other = made.region("solve", build.line - 3, 10, solve);
        made.time(0, other, THR_WORK_STATE, 0.5);
        made.time(1, other, THR_WORK_STATE, 0.5);
    }
    const int region = made.region("solve", build.line, 10, solve);
    const int code = build.inlined ? region : made.function(build.function, 20, region);
    made.serial(build.serial * factor, prepare);
    made.time(0, code, THR_WORK_STATE, work / 2 + (build.waits > 0 ? build.waits / 2 : 0));
    made.time(1, code, THR_WORK_STATE, work / 2 - (build.waits > 0 ? build.waits / 2 : 0));
    made.time(0, region, THR_WORK_STATE, build.own * factor);
    made.time(1, region, THR_IBAR_STATE, build.waits * factor);
    const auto waits = static_cast<int>(build.waits * made.process.rate);
    for (int i = 0; i < waits; ++i) { // for relax() on thread 0
        const double time = build.serial + static_cast<double>(i) / made.process.rate;
        made.process.samples.push_back({time, 0, code, THR_WORK_STATE});
        made.process.samples.push_back({time, 1, region, THR_IBAR_STATE});
    }
    made.process.cpu_seconds = build.serial * factor + work + build.own * factor;
    made.process.build_id = build.function + std::to_string(build.line);
    made.process.stacks = "full";
    return made.process;
}

// Runs that differ by some percent.
inline Side side_of(const Build &build, size_t runs = 5, double spread = 0.01) {
    constexpr double kSteps[] = {0, 1, -1, 2, -2, 0.5, -0.5, 1.5};
    std::vector<ComparedRun> compared;
    for (size_t i = 0; i < runs; ++i) {
        const double factor = 1 + spread * kSteps[i % std::size(kSteps)];
        const std::string name = "run" + std::to_string(i);
        compared.push_back(compared_run({{built(build, factor)}}, name, true));
    }
    return Side(std::move(compared));
}

} // namespace ocb_test
