// SPDX-License-Identifier: Apache-2.0
// The runtime's own time, with the front: each construct of watch/runtimes_time.c on an old and a
// new libomp, built by clang and by gcc, under watch/witness.c, which compares STATE with the
// interrupted program counter. docs/TRUTH.md has the table.
#include "openmp_run.h"

#include "omp_collector_api.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace ocb_test {
namespace {

constexpr const char *kWitness = "libocb-witness.so";

constexpr const char *kConstructs[] = {
    "loop_dynamic", "loop_dynamic_long", "loop_guided",  "loop_runtime", "loop_static",
    "loop_ordered", "sections",          "doacross",     "tasks",        "tasks_if0",
    "tasks_depend", "tasks_in_taskwait", "tasks_untied", "taskloop",     "taskgroup",
    "lock",         "lock_alone",        "nest_lock",    "test_lock",    "critical",
    "single",       "copyprivate",       "barrier",      "serialized",   "reduction",
};

struct Cell {
    const char *construct;
    Runtime runtime;
};

void PrintTo(const Cell &cell, std::ostream *out) {
    *out << name_of(cell.runtime) << " " << cell.construct;
}

std::vector<Cell> all_cells() {
    std::vector<Cell> cells;
    for (const Runtime &runtime : kOldAndNew)
        for (const char *construct : kConstructs)
            cells.push_back({construct, runtime});
    return cells;
}

// The samples of one run: how many were interrupted where, and of these in WORK. The front's own
// few instructions before and behind its mark are neither the program's nor the runtime's.
struct Samples {
    long program = 0, runtime = 0, work = 0;
    long work_in_program = 0, work_in_runtime = 0;

    double share_of_work_in_program() const {
        return work == 0 ? 1 : static_cast<double>(work_in_program) / static_cast<double>(work);
    }
    double share_of_runtime_not_work() const {
        return runtime == 0
                   ? 1
                   : 1 - static_cast<double>(work_in_runtime) / static_cast<double>(runtime);
    }
    bool hold() const {
        return share_of_work_in_program() >= 0.95 && share_of_runtime_not_work() >= 0.95;
    }
};

Samples samples_in(const std::string &out) {
    Samples samples;
    std::istringstream in(out);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string witness, where;
        int state = 0;
        long count = 0;
        if (!(words >> witness >> state >> where >> count) || witness != "witness")
            continue;
        const bool is_work = state == THR_WORK_STATE;
        samples.work += is_work && where != "front" ? count : 0;
        if (where == "program") {
            samples.program += count;
            samples.work_in_program += is_work ? count : 0;
        } else if (where == "runtime") {
            samples.runtime += count;
            samples.work_in_runtime += is_work ? count : 0;
        }
    }
    return samples;
}

Options with_front() {
    Options options;
    options.environment["KMP_BLOCKTIME"] = "5";
    options.has_front = true;
    options.preload = {kBridge, kWitness};
    return options;
}

std::string cell_name(const testing::TestParamInfo<Cell> &info) {
    return name_of(info.param.runtime) + "_" + info.param.construct;
}

class Front : public testing::TestWithParam<Cell> {};

// A loaded machine may take the processor away at the same few instructions: such shares have
// several tries, and the runs get longer.
TEST_P(Front, TellsTheRuntimesTime) {
    constexpr int kTries = 3;
    Samples samples;
    std::string out;
    for (int i = 0; i < kTries; ++i) {
        Options options = with_front();
        const char *ms = std::getenv("OCB_TRUTH_MS");
        options.arguments = {GetParam().construct,
                             ms != nullptr ? ms : std::to_string(200 << (2 * i))};
        const ProgramRun run =
            run_program(OCB_WATCHER_FOLDER, "runtimes_time", GetParam().runtime, options);
        ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
        out = run.outcome.out;
        samples = samples_in(out);
        if (samples.program + samples.runtime >= 50 && samples.hold())
            break;
    }
    EXPECT_GE(samples.program + samples.runtime, 50) << out;
    EXPECT_GE(samples.share_of_work_in_program(), 0.95) << out;
    EXPECT_GE(samples.share_of_runtime_not_work(), 0.95) << out;
    std::printf("%s %s: %ld samples, %.0f %% of the time in the runtime; WORK in the program "
                "%.1f %%, runtime not WORK %.1f %%\n",
                name_of(GetParam().runtime).c_str(), GetParam().construct,
                samples.program + samples.runtime,
                100.0 * static_cast<double>(samples.runtime) /
                    static_cast<double>(samples.program + samples.runtime),
                100 * samples.share_of_work_in_program(),
                100 * samples.share_of_runtime_not_work());
}

INSTANTIATE_TEST_SUITE_P(Witness, Front, testing::ValuesIn(all_cells()), cell_name);

} // namespace
} // namespace ocb_test
