// SPDX-License-Identifier: Apache-2.0
//
// On a shared machine: what is the program's is named, with an upper bound; what may be
// for who lacks a processor is not. And losses at a pragma's line.
#include "findings.h"
#include "loss_rules.h"
#include "region_shape.h"
#include "warnings.h"

namespace ocb_test {
namespace {

using ompcollect::kNoProcessorState;

// Two threads that come to barriers, and others that took 16 of the 36 s that they wanted.
class SharedMachine : public LossRules {
  protected:
    SharedMachine() {
        made.process.cpu_seconds = 20;
        made.process.waited_for_own = 0;
        made.process.waited_for_others = 16;
        RegionFigures &to = region(made.region("loop", 7, 1));
        to.elapsed = 24;
        for (ThreadWork &thread : to.work) {
            thread.no_processor = 5;
            thread.waited = 6;
        }
    }
    RegionFigures &at() { return figures.regions[0]; }
    void waits(double seconds) {
        for (ThreadWork &thread : at().work) {
            thread.waited = seconds;
        }
    }
    void works(double first, double second) {
        at().work[0].seconds = at().work_max = first;
        at().work[1].seconds = at().work_min = second;
        at().work_mean = (first + second) / 2;
    }
};

TEST_F(SharedMachine, HasWaitsThatVary) {
    waits(100);
    EXPECT_TRUE(losses().empty());
    made.process.waited_for_others = 0;
    EXPECT_EQ(only_loss().cause, Cause::kVaryingImbalance);
}

// The time in a single has what others took of it.
TEST_F(SharedMachine, HasWaitsForSinglesToo) {
    at().single_seconds = 20;
    works(15, 5);
    EXPECT_TRUE(losses().empty());
    works(15, 0.5); // nearly all of it
    EXPECT_TRUE(losses().empty());
    made.process.waited_for_others = 0;
    EXPECT_EQ(only_loss().cause, Cause::kLoneThread);
    works(15, 5);
    EXPECT_EQ(only_loss().cause, Cause::kSingle);
}

TEST_F(SharedMachine, HasSinglesWhoseThreadWorksLonger) {
    works(15, 5);
    at().within_samples[THR_WORK_STATE] = 73;
    waits(12);
    at().single_seconds = 5; // all that the first one has beyond the mean
    EXPECT_TRUE(losses().empty());
    at().single_seconds = 4.99;
    EXPECT_EQ(only_loss().cause, Cause::kImbalance);
}

TEST_F(SharedMachine, IsNoneWhereTheQuotaStoppedAll) {
    made.process.throttled_seconds = 16;
    EXPECT_EQ(taken_by_others(made.process), 0);
    made.process.throttled_seconds = 6;
    EXPECT_NEAR(taken_by_others(made.process), 10 / 30.0, 1e-12);
}

TEST_F(SharedMachine, HidesNoWorkThatDiffers) {
    works(15, 5);
    at().within_samples[THR_WORK_STATE] = 73;
    EXPECT_EQ(only_loss().cause, Cause::kImbalance);
    EXPECT_NEAR(only_loss().seconds, 24 * (1 - 10 / 15.0), 1e-12);
    waits(9);
    EXPECT_NEAR(only_loss().seconds, 9, 1e-12);
    waits(6);
    at().within_samples[THR_WORK_STATE] = 72; // their error is half of the difference
    EXPECT_TRUE(losses().empty());
    at().within_samples[THR_WORK_STATE] = 73;
    waits(3.75);
    EXPECT_FALSE(losses().empty());
    waits(3.74); // a dynamic schedule gives less work to who has less of a processor
    EXPECT_TRUE(losses().empty());
}

TEST_F(SharedMachine, IsOneFromATwentiethOn) {
    waits(6);
    made.process.cpu_seconds = 19 * 16;
    EXPECT_NEAR(taken_by_others(made.process), 0.05, 1e-12);
    made.process.cpu_seconds = 19 * 16 - 1;
    EXPECT_TRUE(losses().empty());
    made.process.cpu_seconds = 19 * 16 + 1;
    EXPECT_FALSE(losses().empty());
    made.process.waited_for_others = made.process.waited_for_own = kNotKnown;
    EXPECT_EQ(taken_by_others(made.process), 0);
    made.process.waited_for_others = made.process.waited_for_own = made.process.cpu_seconds = 0;
    EXPECT_EQ(taken_by_others(made.process), 0);
}

// They are shorter than a slice of a processor, at whose end samples come.
TEST_F(SharedMachine, HidesWhatShortRegionsDo) {
    works(15, 5);
    at().within_samples[THR_WORK_STATE] = 73;
    at().mean_length = 4e-3;
    EXPECT_FALSE(losses().empty());
    at().mean_length = 3.99e-3;
    EXPECT_TRUE(losses().empty());
    made.process.waited_for_others = 0;
    EXPECT_FALSE(losses().empty());
}

// From a twentieth of the region's time on: then the 5 s without a processor may be for them.
TEST_F(SharedMachine, MayHaveQueuesInItsWaits) {
    waits(0);
    at().within.wall[THR_CTWT_STATE] = 2 * 1.21;
    EXPECT_NEAR(loss_by(Cause::kCritical).seconds, 1.21 + 5, 1e-12);
    at().within.wall[THR_CTWT_STATE] = 2 * 1.19;
    EXPECT_NEAR(loss_by(Cause::kCritical).seconds, 1.19, 1e-12);
    at().within.wall[THR_CTWT_STATE] = 2 * 1.21;
    made.process.waited_for_others = 0;
    EXPECT_NEAR(loss_by(Cause::kCritical).seconds, 1.21, 1e-12);
}

// Sleep is exact, and what is known of locks outside OpenMP is the least.
TEST_F(SharedMachine, HasNoBoundForOwnLocks) {
    waits(0);
    at().own_waits[Cause::kForeignLock] = {12, 1200};
    EXPECT_NEAR(loss_by(Cause::kForeignLock).seconds, 6, 1e-12);
    at().own_waits = {{Cause::kOwnThread, {12, 1200}}};
    EXPECT_NEAR(loss_by(Cause::kOwnThread).seconds, 6, 1e-12);
}

TEST_F(SharedMachine, HasWaitsForTasks) {
    waits(0);
    at().work[0].for_tasks = 6;
    EXPECT_TRUE(losses().empty());
    made.process.waited_for_others = 0;
    EXPECT_NEAR(loss_by(Cause::kTaskWaits).seconds, 3, 1e-12);
}

// Who comes late to a fork may have lacked a processor before.
TEST_F(SharedMachine, HasLateThreads) {
    waits(0);
    at().work[1].idle = 6;
    EXPECT_TRUE(losses().empty());
    at().within.wall[THR_OVHD_STATE] = 3; // the runtime's own work
    EXPECT_NEAR(only_loss().seconds, 3 / 2.0, 1e-12);
    made.process.waited_for_others = 0;
    EXPECT_NEAR(loss_by(Cause::kRuntimeWork).seconds, (3 + 6) / 2.0, 1e-12);
}

TEST(SharedMachineFindings, AreUpperBounds) {
    MadeProcess made(2, 4);
    const int region = made.region("uneven", 7, 1);
    made.process.cpu_seconds = 4;
    made.process.waited_for_own = 0;
    made.process.waited_for_others = 0.2;
    made.time(0, region, THR_WORK_STATE, 4);
    made.time(1, region, THR_WORK_STATE, 1);
    made.time(1, region, THR_IBAR_STATE, 3, 0);
    const auto first = [&] { return findings_of(made.process, figures_of(made.process)).at(0); };
    EXPECT_FALSE(first().is_at_most);
    EXPECT_GT(first().least_share, 0);
    made.process.waited_for_others = 0.3;
    EXPECT_TRUE(first().is_at_most);
    EXPECT_EQ(first().least_share, 0);
    const auto warnings = ompcollect::report::warnings_of(made.process);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].name, std::string("shared_machine"));
    EXPECT_NE(warnings[0].text.find("other processes took 7 %"), std::string::npos)
        << warnings[0].text;
}

TEST(SharedMachineFindings, AreNoneOfEvenWork) {
    MadeProcess made(2, 4);
    made.process.cpu_seconds = 4;
    made.process.waited_for_own = 0;
    made.process.waited_for_others = 3.4;
    const int region = made.region("even", 7, 1000);
    for (unsigned i = 0; i < 2; ++i) {
        made.time(i, region, THR_WORK_STATE, 2);
        made.time(i, region, kNoProcessorState, 1.7, 0);
        made.process.cells.back().within = THR_WORK_STATE;
        made.time(i, region, THR_IBAR_STATE, 0.3, 0);
    }
    const Figures figures = figures_of(made.process);
    EXPECT_TRUE(findings_of(made.process, figures).empty());
    const std::string text = no_finding(made.process, figures);
    EXPECT_NE(text.find("others on the machine took 46 %"), std::string::npos) << text;
}

// A pragma's line has 2 s of work in a region that runs for `executed`.
class PragmaLosses : public LossRules {
  protected:
    PragmaLosses() {
        region(made.region("sum", 9, 1));
        made.time(0, at().node, THR_WORK_STATE, 2);
        Line line;
        line.source = "made.c:9";
        line.function = "sum";
        line.times.wall[THR_WORK_STATE] = 2;
        line.samples = 200;
        made.process.lines = {line};
        at().times.wall[THR_WORK_STATE] = 8;
    }
    RegionFigures &at() { return figures.regions[0]; }
};

TEST_F(PragmaLosses, AreOfWhatRan) {
    at().times.wall[THR_IBAR_STATE] = at().times.wall[THR_IDLE_STATE] = 100;
    at().times.wall[kNoProcessorState] = 100;
    EXPECT_EQ(executed(at()), 8);
    EXPECT_NEAR(only_loss().seconds, 1, 1e-12);
    EXPECT_EQ(only_loss().cause, Cause::kReduction);
    at().times.wall[THR_WORK_STATE] = 20;
    EXPECT_EQ(only_loss().cause, Cause::kReduction);
    at().times.wall[THR_WORK_STATE] = 20.1;
    EXPECT_TRUE(losses().empty());
}

// A macro has the loop on its line, too.
TEST_F(PragmaLosses, AreThoseOfAPragmaThatStandsAlone) {
    const double lost = loss_by(Cause::kReduction).seconds;
    EXPECT_GT(lost, 0);
    for (const char *text : {"#pragma omp parallel for", " # pragma omp parallel", "!$OMP DO",
                             "[[omp::directive(parallel)]]", " "}) {
        made.process.lines[0].text = text;
        EXPECT_EQ(loss_by(Cause::kReduction).seconds, lost) << text;
    }
    for (const char *text :
         {"PAR_FOR(long i = 0; i < n; ++i) {", "_Pragma(\"omp for\") for (;;)"}) {
        made.process.lines[0].text = text;
        EXPECT_TRUE(losses().empty()) << text;
    }
}

// Where the runtime is called all the time, the line has the code around the calls.
TEST_F(PragmaLosses, AreTheRuntimesWhereItHandsOut) {
    at().times.wall[THR_OVHD_STATE] = at().within.wall[THR_OVHD_STATE] = 0.5;
    EXPECT_EQ(losses().front().cause, Cause::kRuntimeWork);
    EXPECT_NEAR(loss_by(Cause::kReduction).seconds, 1, 1e-12);
    at().times.wall[THR_OVHD_STATE] = at().within.wall[THR_OVHD_STATE] = 0.6;
    EXPECT_NEAR(only_loss().seconds, (0.6 + 2) / 2, 1e-12);
    EXPECT_EQ(only_loss().cause, Cause::kRuntimeWork);
    made.time(0, at().node, kNoProcessorState, 0.5, 0);
    made.process.cells.back().within = THR_WORK_STATE;
    made.process.lines[0].times.wall[kNoProcessorState] = 0.5;
    EXPECT_NEAR(only_loss().seconds, (0.6 + 2 + 0.5) / 2, 1e-12);
    at().within.wall[THR_ATWT_STATE] = 0.1;
    EXPECT_EQ(losses().back().cause, Cause::kReduction);
    at().within.wall[THR_ATWT_STATE] = 0;
    at().within.wall[THR_REDUC_STATE] = 0.1;
    EXPECT_EQ(losses().back().cause, Cause::kReduction);
}

} // namespace
} // namespace ocb_test
