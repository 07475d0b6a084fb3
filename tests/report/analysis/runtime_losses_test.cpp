// SPDX-License-Identifier: Apache-2.0
//
// What is lost to the runtime: reductions, tasks, chunks, and regions that are too small.
#include "loss_rules.h"

namespace ocb_test {
namespace {

using ompcollect::kNoProcessorState;

class ReductionLosses : public LossRules {};

TEST_F(ReductionLosses, BeginAtATenthOfWhatIsExecuted) {
    const int at = made.region("sums", 7, 1);
    RegionFigures &sums = region(at);
    sums.own = 1000;
    sums.times.wall[THR_WORK_STATE] = 10;
    made.time(0, at, THR_WORK_STATE, 4);
    made.time(0, at, kNoProcessorState, 4, 0);
    made.process.cells.back().within = THR_WORK_STATE;
    Line line;
    line.source = "made.c:7";
    line.function = "sums";
    line.samples = 100;
    line.times.wall[THR_WORK_STATE] = 1;
    line.times.wall[kNoProcessorState] = 0.5;
    made.process.lines = {line};
    const Loss loss = only_loss();
    EXPECT_EQ(loss.cause, Cause::kReduction);
    EXPECT_NEAR(loss.seconds, (1 + 0.5) / 2, 1e-12);
    EXPECT_EQ(loss.samples, 100U);
    figures.regions[0].elapsed = 0.5;
    EXPECT_EQ(only_loss().seconds, 0.5) << "no more than the region takes";
    figures.regions[0].elapsed = 1000;
    made.process.lines[0].times.wall[THR_WORK_STATE] = 0.99;
    EXPECT_TRUE(losses().empty());
}

// Many regions may be on one line, as of a macro.
TEST_F(ReductionLosses, AreNotMoreThanTheRegionsOwnFunctionHas) {
    const int at = made.region("sums", 7, 1);
    region(at).times.wall[THR_WORK_STATE] = 20;
    made.time(0, at, THR_WORK_STATE, 3);
    made.time(0, at, kNoProcessorState, 1, 0);
    made.process.cells.back().within = THR_WORK_STATE;
    made.process.cells.back().samples = 50;
    made.time(0, at, THR_OVHD_STATE, 9);
    made.time(0, made.function("called", 9, at), THR_WORK_STATE, 20);
    const int memset = made.function("memset", 0, at);
    made.process.nodes[static_cast<size_t>(memset)].source = {};
    made.time(0, memset, THR_WORK_STATE, 2);
    Line line;
    line.source = "made.c:7";
    line.function = "sums";
    line.samples = 10000;
    line.times.wall[THR_WORK_STATE] = 40;
    line.times.wall[kNoProcessorState] = 40;
    made.process.lines = {line};
    const Loss loss = only_loss();
    EXPECT_EQ(loss.cause, Cause::kReduction);
    EXPECT_NEAR(loss.seconds, (3 + 2 + 1) / 2.0, 1e-12);
    EXPECT_EQ(loss.samples, 550U);
    made.process.cells[0].wall = -0.1; // 1.9 in all
    EXPECT_TRUE(losses().empty()) << "less than a tenth of what is executed";
}

// The runtime is why others wait for who creates small tasks.
class TaskLosses : public LossRules {
  protected:
    TaskLosses() {
        RegionFigures &tasks = region(made.region("tasks", 7, 1));
        tasks.single_seconds = 12;
        tasks.work[0] = {0, 10};
        tasks.work[1] = {1, 1};
        tasks.work[1].waited = 9;
        tasks.work_min = 1;
        tasks.work_mean = 5.5;
    }
    Cause cause_where(double by_most, double by_other) {
        RegionFigures &tasks = figures.regions.back();
        tasks.work[0].runtime = by_most;
        tasks.work[1].runtime = by_other;
        tasks.within.wall[THR_OVHD_STATE] = by_most + by_other;
        const std::vector<Loss> all = losses();
        return std::max_element(all.begin(), all.end(),
                                [](const Loss &a, const Loss &b) { return a.seconds < b.seconds; })
            ->cause;
    }
};

TEST_F(TaskLosses, AreTheRuntimesFromAQuarterOfTheWorkOn) {
    EXPECT_EQ(cause_where(2.4, 0), Cause::kLoneThread);
    EXPECT_EQ(cause_where(2.5, 0), Cause::kRuntimeWork);
    const Loss all = only_loss();
    EXPECT_NEAR(all.seconds, (2.5 + 9) / 2, 1e-12);
    EXPECT_EQ(cause_where(0, 0), Cause::kLoneThread);
}

TEST_F(TaskLosses, AreOfTheOneWhoIsInTheRuntime) {
    EXPECT_EQ(cause_where(4, 2), Cause::kRuntimeWork);
    EXPECT_NE(cause_where(3.9, 2), Cause::kRuntimeWork);
}

// All are in the runtime for longer than they work, with a processor or without.
TEST_F(TaskLosses, AreOfAllWhereTheyAreInTheRuntimeForLongest) {
    RegionFigures &tasks = figures.regions.back();
    tasks.work[1].no_processor = 1;
    const auto all_waits = [&](double by_each) {
        cause_where(by_each, by_each);
        return loss_by(Cause::kRuntimeWork).seconds == (2 * by_each + 9) / 2;
    };
    EXPECT_FALSE(all_waits(6));
    EXPECT_TRUE(all_waits(6.25));
}

TEST_F(TaskLosses, AreNoneWithoutASingle) {
    figures.regions.back().single_seconds = 0;
    EXPECT_EQ(cause_where(3, 0), Cause::kImbalance);
}

// Who has queued for longer comes last, and is waited for.
class QueueLosses : public LossRules {
  protected:
    QueueLosses() {
        RegionFigures &queues = region(made.region("queues", 7, 1));
        queues.own = queues.times.wall[THR_WORK_STATE] = 1000;
        queues.within.wall[THR_CTWT_STATE] = 5;
        queues.within.wall[THR_LKWT_STATE] = 1;
        queues.within.wall[THR_REDUC_STATE] = 6;
        queues.work[0].queued = 6;
        queues.work[1].waited = 5;
    }
};

TEST_F(QueueLosses, HaveTheWaitsForWhoQueuedLonger) {
    EXPECT_NEAR(loss_by(Cause::kCritical).seconds, (5 + 5) / 2.0, 1e-12);
    EXPECT_NEAR(loss_by(Cause::kLocks).seconds, 1 / 2.0, 1e-12);
    EXPECT_NEAR(loss_by(Cause::kReduction).seconds, 6 / 2.0, 1e-12);
    EXPECT_EQ(losses().size(), 3U);
    figures.regions[0].work[1].queued = 4;
    EXPECT_NEAR(loss_by(Cause::kCritical).seconds, (5 + 2) / 2.0, 1e-12);
    EXPECT_NEAR(loss_by(Cause::kVaryingImbalance).seconds, (5 - 2) / 2.0, 1e-12);
}

TEST_F(QueueLosses, ComeAfterSleepAndBeforeTheRuntime) {
    RegionFigures &queues = figures.regions[0];
    queues.work[0].asleep = 2;
    queues.work[0].runtime = 10;
    EXPECT_NEAR(loss_by(Cause::kCritical).seconds, (5 + 3) / 2.0, 1e-12);
    queues.work[0].queued = 1;
    EXPECT_NEAR(loss_by(Cause::kCritical).seconds, (5 + 1) / 2.0, 1e-12);
    EXPECT_NEAR(loss_by(Cause::kRuntimeWork).seconds, (5 - 2 - 1) / 2.0, 1e-12);
}

TEST_F(QueueLosses, AreNotWhatWorkExplains) {
    RegionFigures &queues = figures.regions[0];
    queues.work[1].seconds = queues.work_min = 6;
    queues.work_mean = 8;
    EXPECT_NEAR(loss_by(Cause::kCritical).seconds, (5 + 1) / 2.0, 1e-12);
    EXPECT_NEAR(loss_by(Cause::kImbalance).seconds, 4 / 2.0, 1e-12);
}

class RuntimeLosses : public LossRules {};

TEST_F(RuntimeLosses, AreItsWorkAndLateThreads) {
    RegionFigures &tasks = region(made.region("tasks", 7, 1));
    tasks.within.wall[THR_OVHD_STATE] = 3;
    tasks.work[1].idle = 1;
    tasks.within_samples[THR_OVHD_STATE] = 300;
    tasks.within_samples[THR_IDLE_STATE] = 100;
    const Loss loss = only_loss();
    EXPECT_EQ(loss.cause, Cause::kRuntimeWork);
    EXPECT_NEAR(loss.seconds, 2, 1e-12);
    EXPECT_EQ(loss.samples, 400U);
}

// A team of all threads has no others to wake.
TEST_F(RuntimeLosses, OfTinyRegionsCountOthersWhereTheTeamIsSmall) {
    RegionFigures &small = region(made.region("tiny", 7, 1000000));
    small.work[0].runtime = 3;
    small.idle_outside = 8;
    EXPECT_EQ(only_loss().cause, Cause::kTinyRegions);
    EXPECT_NEAR(only_loss().seconds, 3.0 / 2, 1e-12);
    threads = 4;
    EXPECT_NEAR(only_loss().seconds, (3 + 8.0) / 2, 1e-12);
    small.within.wall[THR_REDUC_STATE] = 4;
    EXPECT_NEAR(loss_by(Cause::kReduction).seconds, 4.0 / 2, 1e-12);
}

// The thread that forks is in the runtime for 3 s outside, 2 of them without a processor.
TEST_F(RuntimeLosses, OfTinyRegionsHaveWhatOthersKeepTheForkingThreadFrom) {
    const int at = made.region("tiny", 7, 1000000);
    region(at).work[0].runtime = 3;
    figures.efficiency.serial = 3;
    made.process.waited_for_own = 0;
    made.process.waited_for_others = 1;
    figures.regions[0].mean_length = 4e-3;
    made.time(0, kOutside, THR_SERIAL_STATE, 0);
    made.time(0, kOutside, THR_OVHD_STATE, 1);
    made.time(0, kOutside, kNoProcessorState, 2, 0);
    made.process.cells.back().within = THR_OVHD_STATE;
    EXPECT_EQ(only_loss().cause, Cause::kTinyRegions);
    EXPECT_NEAR(only_loss().seconds, 3.0 / 2 + 1 + 2, 1e-12);
    figures.regions[0].elapsed = 11; // it may lose what nobody works in it, and its forks
    EXPECT_NEAR(only_loss().seconds, 1 + 1 + 2, 1e-12);
    figures.regions[0].work[1].no_processor = 1;
    EXPECT_NEAR(only_loss().seconds, 0.5 + 1 + 2, 1e-12);
    figures.regions[0].work[1].no_processor = 0;
    made.process.nodes[static_cast<size_t>(at)].entries = 1;
    EXPECT_TRUE(losses().empty()) << "of long ones it is others'";
}

} // namespace
} // namespace ocb_test
