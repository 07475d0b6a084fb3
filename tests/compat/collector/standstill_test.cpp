// SPDX-License-Identifier: Apache-2.0
//
// Time in which the whole process stands still is nobody's waiting. The program stops, or its clock
// jumps, by as many seconds as it prints; it would run for 0.8 s of the processor without that. A
// process whose threads sleep, or wait for a processor, stands still no more than any.
#include "command.h"
#include "launcher_run.h"
#include "run.h"
#include "warnings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace ocb_test {
namespace {

using namespace ompcollect::report; // NOLINT(google-build-using-namespace)

class Standstill : public testing::TestWithParam<const char *> {
  protected:
    // `script` begins the launcher, as it is with its arguments in "$@".
    void run_it(const char *what, const std::map<std::string, std::string> &environment = {},
                const char *script = "exec \"$@\"") {
        const TemporaryFolder folder;
        const std::string file = folder.file("run.ompc");
        Command command;
        command.arguments = {"/bin/sh", "-c", script, "sh", kLauncher, "-o", file};
        command.arguments.push_back(OCB_TEST_PROGRAMS "/" + std::string(GetParam()) +
                                    "/standstill");
        command.arguments.emplace_back(what);
        command.environment = environment;
        const Outcome outcome = run(command);
        constexpr int kCannot = 77;
        if (outcome.exit_code == kCannot) {
            GTEST_SKIP() << "no control group can be made here";
        }
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        printed_ = std::stod(outcome.out);
        const auto loaded = load_run(file, {});
        ASSERT_EQ(loaded.processes.size(), 1U);
        process_ = loaded.processes.front();
        const Outcome report = launch({"report", file});
        ASSERT_TRUE(report.succeeded()) << report.describe();
        head_ = report.out.substr(0, report.out.find("Verdict:"));
    }
    // No thread has more than the run, which has nothing of the jump.
    void expect_own_time_alone() const {
        std::vector<double> sums(process_.threads.size());
        for (const Cell &cell : process_.cells) {
            sums[cell.thread] += cell.wall;
        }
        EXPECT_LE(*std::max_element(sums.begin(), sums.end()), process_.seconds + kPeriods);
        for (const Thread &thread : process_.threads) {
            EXPECT_LE(thread.end, process_.seconds + kPeriods);
        }
        for (const Warning &warning : warnings_of(process_)) {
            EXPECT_STRNE(warning.name, "times_disagree");
        }
    }

    // As long as the program has printed, in the head by these words.
    void expect_named_stillness(const char *words) const {
        EXPECT_NEAR(process_.stood_still_seconds, printed_, kPeriods);
        EXPECT_NE(head_.find(words), std::string::npos) << head_;
        expect_own_time_alone();
    }

    void expect_no_stillness() const {
        EXPECT_EQ(process_.stood_still_seconds, 0);
        EXPECT_EQ(head_.find("stood still"), std::string::npos) << head_;
        EXPECT_GT(process_.seconds, 2);
        expect_own_time_alone();
    }

    static constexpr double kPeriods = 0.15; // seconds of some pauses of the sampling thread
    double printed_ = 0;
    Process process_;
    std::string head_;
};

TEST_P(Standstill, OfAStoppedProcessIsNoWaiting) {
    OCB_SKIP_IF_SANITIZED();
    run_it("stopped");
    EXPECT_EQ(process_.set_back_seconds, 0);
    expect_named_stillness("stood still");
}

TEST_P(Standstill, OfAFrozenProcessIsNoWaiting) {
    OCB_SKIP_IF_SANITIZED();
    run_it("frozen");
    if (!IsSkipped()) {
        expect_named_stillness("stood still");
    }
}

TEST_P(Standstill, OfOneFrozenByTheFirstVersionIsNoWaiting) {
    OCB_SKIP_IF_SANITIZED();
    run_it("frozen-1");
    if (!IsSkipped()) {
        expect_named_stillness("stood still");
    }
}

// Of each sleep the kernel makes one that is longer by so much. The collector's thread is no
// exception: it is late again and again, and waits for no processor.
TEST_P(Standstill, IsNotThatTheSamplingThreadIsWokenLate) {
    OCB_SKIP_IF_SANITIZED();
    run_it("asleep", {}, "echo 400000000 > /proc/self/timerslack_ns; exec \"$@\"");
    expect_no_stillness();
}

TEST_P(Standstill, IsNotThatTheSamplingThreadWaitsForAProcessor) {
    OCB_SKIP_IF_SANITIZED();
    run_it("starved");
    EXPECT_GT(printed_, 0.2);
    expect_no_stillness();
}

TEST_P(Standstill, OfAClockThatJumpsAheadIsNoWaiting) {
    OCB_SKIP_IF_SANITIZED();
    run_it("ahead");
    expect_named_stillness("jumped ahead");
}

TEST_P(Standstill, AClockThatIsSetBackTakesNoTime) {
    OCB_SKIP_IF_SANITIZED();
    run_it("back");
    EXPECT_NEAR(process_.set_back_seconds, printed_, kPeriods);
    EXPECT_EQ(process_.stood_still_seconds, 0);
    EXPECT_NE(head_.find("set back"), std::string::npos) << head_;
    EXPECT_GT(process_.seconds, 0.8);
    expect_own_time_alone();
}

// On runtimes of TR2 each thread's own timer goes by the clock, and fires as soon as it goes on.
class StandstillOnAnOldRuntime : public Standstill {
  protected:
    void run_it(const char *what) {
        Standstill::run_it(what, {{"LD_LIBRARY_PATH", OCB_TEST_TR2_RUNTIME}});
        EXPECT_EQ(process_.ompt_generation, "TR2");
    }
};

TEST_P(StandstillOnAnOldRuntime, OfAStoppedProcessIsNoWaiting) {
    OCB_SKIP_IF_SANITIZED();
    run_it("stopped");
    expect_named_stillness("stood still");
}

TEST_P(StandstillOnAnOldRuntime, OfAClockThatJumpsAheadIsNoWaiting) {
    OCB_SKIP_IF_SANITIZED();
    run_it("ahead");
    expect_named_stillness("jumped ahead");
}

INSTANTIATE_TEST_SUITE_P(Compilers, StandstillOnAnOldRuntime, testing::Values("clang"));
INSTANTIATE_TEST_SUITE_P(Compilers, Standstill, testing::Values("clang", "gcc"),
                         [](const auto &made) { return std::string(made.param); });

} // namespace
} // namespace ocb_test
