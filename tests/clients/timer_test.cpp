// SPDX-License-Identifier: Apache-2.0
// Collectors that name a timer anew at its start and at its stop, as TAU does: in both events of a
// pair the names must be the same, or TAU ends the program. timer_client.c behaves like it, in each
// program of the truth matrix, with the front, under both settings of OCB_IDLE_EVENTS.
#include "long_form.h"
#include "matrix_run.h"
#include "openmp_run.h"
#include "process.h"
#include "rows.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace ocb_test {
namespace {

constexpr const char *kTimerClient = "libocb-timer-client.so";
constexpr int kRuntimeFails = 75; // truth.h
constexpr int kMostFailures = 5;

struct Timers {
    long started = 0, named = 0;
    long complaints = -1; // it did not come to its end
    std::string first_complaint;
};

Timers read_timers(const std::string &path) {
    Timers timers;
    std::ifstream file(path);
    std::string word;
    file >> word >> timers.started >> word >> timers.named >> word >> timers.complaints;
    std::getline(file >> std::ws, timers.first_complaint);
    return timers;
}

struct TimedRun {
    Outcome outcome;
    Timers timers;
};

TimedRun run_timed(const char *folder, const char *program, const Runtime &runtime,
                   const Options &options) {
    TimedRun run;
    for (int i = 0; i < kMostFailures; ++i) {
        const TemporaryFolder temporary;
        Options with_report = options;
        with_report.environment["OCB_TIMER_REPORT"] = temporary.file("timers");
        run.outcome = run_program(folder, program, runtime, with_report).outcome;
        run.timers = read_timers(temporary.file("timers"));
        if (run.outcome.exit_code != kRuntimeFails) {
            break;
        }
    }
    return run;
}

struct Case {
    Runtime runtime;
    const char *idle_events;
};

std::string name_of_case(const testing::TestParamInfo<Case> &info) {
    return name_of(info.param.runtime) + "_" + info.param.idle_events;
}
void PrintTo(const Case &which, std::ostream *out) {
    *out << name_of(which.runtime) << " " << which.idle_events;
}

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const Runtime &runtime : kOldAndNew) {
        for (const char *idle_events : {"prompt", "deferred"}) {
            cases.push_back({runtime, idle_events});
        }
    }
    return cases;
}

// When a program's idle events come is the runtime's matter, not its compiler's or its version's:
// each row is looked at with the newest libomp's deferred ones and with libgomp's prompt ones, each
// fourth with the others, and in the long form all with all.
int step_of(const Case &which) {
    const bool are_deferred = std::string(which.idle_events) == "deferred";
    const bool is_newest = which.runtime.libomp == 19 && which.runtime.compiler == Compiler::kClang;
    const bool is_fully_seen = is_long() || (are_deferred ? is_newest : is_libgomp(which.runtime));
    return is_fully_seen ? 1 : 4;
}

class TimersOn : public testing::TestWithParam<Case> {};

TEST_P(TimersOn, StopByTheNameThatTheyWereStartedBy) {
    long named = 0;
    const Runtime &runtime = GetParam().runtime;
    int number = 0;
    for (const TruthRow &row : kTruthRows) {
        if (number++ % step_of(GetParam()) != 0) {
            continue;
        }
        if (runtime.compiler == Compiler::kGcc && !is_libgomp(runtime) &&
            row.gcc == Claim::kNotThere) {
            continue; // the launcher refuses it: libomp lacks an entry
        }
        Options options;
        options.collector = kTimerClient;
        options.environment["OCB_IDLE_EVENTS"] = GetParam().idle_events;
        options.environment["OCB_TRUTH_MS"] = "1";
        options.environment["KMP_BLOCKTIME"] = "0";
        add_row(row, options);
        const TimedRun run = run_timed(OCB_TRUTH_PROGRAM_FOLDER, row.program, runtime, options);
        EXPECT_TRUE(run.outcome.succeeded()) << row.name << "\n" << run.outcome.describe();
        EXPECT_EQ(0, run.timers.complaints) << row.name << ": " << run.timers.first_complaint;
        named += run.timers.named;
    }
    EXPECT_LT(0, named);
}

// The master has the lock from FORK on. A worker that waits for it before it is in a team makes
// libomp abort: "Assertion failure ... !this_thr->th.th_spin_here".
TEST_P(TimersOn, NewWorkersMayTakeALockInBeginIdle) {
    Options options;
    options.collector = kTimerClient;
    options.environment["OCB_IDLE_EVENTS"] = GetParam().idle_events;
    options.environment["OCB_TIMER_LOCK"] = "held";
    const TimedRun run =
        run_timed(OCB_TEST_PROGRAM_FOLDER, "first_teams", GetParam().runtime, options);
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ(0, run.timers.complaints) << run.timers.first_complaint;
    EXPECT_LT(0, run.timers.started);
}

INSTANTIATE_TEST_SUITE_P(On, TimersOn, testing::ValuesIn(all_cases()), name_of_case);

} // namespace
} // namespace ocb_test
