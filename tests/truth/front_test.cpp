// SPDX-License-Identifier: Apache-2.0
// The runtime's own time, as the launcher starts a program: each construct of
// watch/runtimes_time.c on an old and a new libomp, built by clang and by gcc, and on libgomp,
// under watch/witness.c, which compares STATE with the interrupted program counter. docs/TRUTH.md
// has the table.
#include "known_failures.h"
#include "matrix_run.h"

#include "omp_collector_api.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace ocb_test {
namespace {

constexpr const char *kWitness = "libocb-witness.so";

constexpr const char *kConstructs[] = {
    "loop_dynamic", "loop_dynamic_long", "loop_guided",  "loop_runtime", "loop_static",
    "loop_ordered", "sections",          "doacross",     "tasks",        "tasks_if0",
    "tasks_depend", "tasks_in_taskwait", "tasks_untied", "taskloop",     "taskgroup",
    "lock",         "lock_alone",        "nest_lock",    "test_lock",    "critical",
    "single",       "copyprivate",       "barrier",      "reduction",    "serialized",
    "nested",
};

// Where the program is hardly ever in the runtime, or hardly ever out of it, the moments around a
// task's or a call's first and last instruction are much of the little: they are judged by their
// share of all.
constexpr double kLittle = 0.005;

// Tasks of some ten microseconds have more of these moments: measured on an idle machine 1.1 % in a
// taskloop.
constexpr const char *kOfShortTasks = "taskloop";
constexpr double kLittleOfShortTasks = 0.015;

struct Cell {
    const char *construct;
    Runtime runtime;

    [[nodiscard]] double little() const {
        return strcmp(construct, kOfShortTasks) == 0 ? kLittleOfShortTasks : kLittle;
    }
};

void PrintTo(const Cell &cell, std::ostream *out) {
    *out << name_of(cell.runtime) << " " << cell.construct;
}

std::vector<Cell> all_cells() {
    std::vector<Cell> cells;
    for (const Runtime &runtime : kOldAndNew) {
        for (const char *construct : kConstructs) {
            cells.push_back({construct, runtime});
        }
    }
    return cells;
}

// The samples of one run: how many were interrupted where, and of these in WORK. The front's own
// few instructions before and behind its mark are neither the program's nor the runtime's.
struct Samples {
    long program = 0, runtime = 0, work = 0;
    long work_in_program = 0, work_in_runtime = 0;
    long program_right = 0; // in a state that the program's own code may have

    [[nodiscard]] double share_of_work_in_program() const {
        return share_of(work_in_program, work);
    }
    [[nodiscard]] double share_of_runtime_not_work() const {
        return share_of(runtime - work_in_runtime, runtime);
    }
    [[nodiscard]] double share_of_work_in_runtime() const {
        return share_of(work_in_runtime, program + runtime);
    }
    // Of both, or of one of them where the program hardly ever does the other; never none.
    [[nodiscard]] bool are_enough() const {
        return (work >= kEnough && runtime >= kEnough) ||
               (program + runtime >= kMany && runtime >= kFew && program >= kFew);
    }
    [[nodiscard]] bool show_the_runtime(double little) const {
        return share_of_runtime_not_work() >= kMost || share_of_work_in_runtime() < little;
    }
    // What says WORK is in the program, and what is in the program says so. Where one is hardly
    // ever there, by its share of all: none of it may be wrong then but a little.
    [[nodiscard]] bool show_the_program(double little) const {
        return (share_of_work_in_program() >= kMost || share_of_work_in_runtime() < little) &&
               (share_of(program_right, program) >= kMost ||
                share_of(program - program_right, program + runtime) < little);
    }
    static double share_of(long part, long all) {
        return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
    }
    static constexpr long kFew = 20;
    static constexpr long kEnough = 400;
    static constexpr long kMany = 2000;
    static constexpr double kMost = 0.95;
};

void add_samples(const std::string &out, Samples &samples) {
    std::istringstream in(out);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string witness, where;
        int state = 0;
        long count = 0;
        if (!(words >> witness >> state >> where >> count) || witness != "witness") {
            continue;
        }
        const bool is_work = state == THR_WORK_STATE;
        const bool is_programs = is_work || state == THR_SERIAL_STATE || state == THR_REDUC_STATE;
        samples.work += is_work && where != "front" ? count : 0;
        if (where == "program") {
            samples.program += count;
            samples.work_in_program += is_work ? count : 0;
            samples.program_right += is_programs ? count : 0;
        } else if (where == "runtime") {
            samples.runtime += count;
            samples.work_in_runtime += is_work ? count : 0;
        }
    }
}

Options with_witness() {
    Options options;
    // Threads that wait go to sleep soon, so that most samples are not of waiting.
    options.environment["KMP_BLOCKTIME"] = "5";
    options.environment["GOMP_SPINCOUNT"] = "10000";
    options.collector = kWitness;
    return options;
}

Options with_collector() {
    Options options = with_witness();
    options.collector = kCollector;
    options.environment["OCB_TEST_SAMPLE_HZ"] = "1000";
    return options;
}

std::string cell_name(const testing::TestParamInfo<Cell> &info) {
    return name_of(info.param.runtime) + "_" + info.param.construct;
}

class Front : public testing::TestWithParam<Cell> {
  protected:
    void SetUp() override { OCB_SKIP_KNOWN_FAILURE(); }
};

// On a loaded machine threads wait for each other most of the time: it may take several runs until
// there are samples in the program. What few samples seem to show, more decide.
TEST_P(Front, TellsTheRuntimesTime) {
    constexpr int kMostRuns = 7;
    const double little = GetParam().little();
    Samples samples;
    std::string out;
    const auto is_shown = [&samples, little] {
        return samples.are_enough() && samples.show_the_runtime(little) &&
               samples.show_the_program(little);
    };
    for (int i = 0; i < kMostRuns && !is_shown(); ++i) {
        Options options = with_witness();
        options.arguments = {GetParam().construct, std::to_string(50 << i)};
        const ProgramRun run =
            run_program(OCB_WATCHER_FOLDER, "runtimes_time", GetParam().runtime, options);
        ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
        out += run.outcome.out;
        add_samples(run.outcome.out, samples);
    }
    EXPECT_TRUE(samples.are_enough()) << out;
    EXPECT_TRUE(samples.show_the_runtime(little)) << out;
    EXPECT_TRUE(samples.show_the_program(little)) << out;
    std::printf("%s %s: %ld samples, %.0f %% of the time in the runtime; WORK in the program "
                "%.1f %%, runtime not WORK %.1f %%, program right %.1f %%\n",
                name_of(GetParam().runtime).c_str(), GetParam().construct,
                samples.program + samples.runtime,
                100.0 * static_cast<double>(samples.runtime) /
                    static_cast<double>(samples.program + samples.runtime),
                100 * samples.share_of_work_in_program(), 100 * samples.share_of_runtime_not_work(),
                100 * Samples::share_of(samples.program_right, samples.program));
}

// A reduction of a class in a team of two: libomp says atomic, and clang makes that a critical
// region, which the program does not have. Both threads wait for it and combine in REDUC.
class FrontOn : public testing::TestWithParam<int> {};
TEST_P(FrontOn, ShowsNoCriticalRegionThatIsAReductions) {
    const TruthRow row = {"reduction_class", "reduction", "", "", kNo, kNo, kNo, ""};
    const Options options = with_collector();
    Log log;
    const Verdict verdict =
        watch(row, {GetParam(), Compiler::kClang}, options, [&log](Log &seen) { log = seen; });
    EXPECT_EQ("", text_of(verdict.all_complaints()));
    for (const ThreadLog &thread : log.threads) {
        EXPECT_TRUE(events_of(thread, OMP_EVENT_THR_BEGIN_CTWT).empty());
    }
}
// Behind the wait at a taskgroup's end what its tasks have reduced is combined.
TEST_P(FrontOn, ShowsTheReductionOfATaskgroup) {
    const TruthRow row = {"task_reduction", "task_reduction", "", "", kNo, kNo, kNo, ""};
    const Options options = with_collector();
    const Verdict verdict = watch(row, {GetParam(), Compiler::kClang}, options, [](Log &) {});
    EXPECT_EQ("", text_of(verdict.all_complaints()));
}

INSTANTIATE_TEST_SUITE_P(Versions, FrontOn, testing::Values(14, 19), [](const auto &version) {
    return "libomp" + std::to_string(version.param) + "_clang";
});

INSTANTIATE_TEST_SUITE_P(Witness, Front, testing::ValuesIn(all_cells()), cell_name);

} // namespace
} // namespace ocb_test
