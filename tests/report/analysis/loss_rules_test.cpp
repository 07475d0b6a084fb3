// SPDX-License-Identifier: Apache-2.0
//
// What is lost outside regions, by too many threads or too few, and in waits.
#include "loss_rules.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ocb_test {
namespace {

using ompcollect::kNoProcessorState;

class SerialLosses : public LossRules {
  protected:
    SerialLosses() { main = made.function("main", 1); }

  public:
    int main = 0;
};

TEST_F(SerialLosses, AreTheTimeOfThreadsThatFork) {
    const int at = made.region("made", 7, 3);
    made.region("inside", 9, 5, at);
    made.time(0, main, THR_SERIAL_STATE, 3);
    made.time(0, kOutside, THR_OVHD_STATE, 1);
    made.time(1, kOutside, THR_OVHD_STATE, 7); // it never forks
    region(at);
    region(at + 1);
    figures.efficiency.serial = 2; // half of what the thread that forks had outside
    const std::vector<Loss> all = losses();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].cause, Cause::kSerial);
    EXPECT_EQ(all[0].node, main);
    EXPECT_NEAR(all[0].seconds, 1.5 / 2, 1e-12);
    EXPECT_NEAR(all[0].thread_seconds, 1.5, 1e-12);
    EXPECT_EQ(all[0].samples, 300U);
    EXPECT_FALSE(all[0].is_measured);
    // The runtime's time outside is that of the forks of regions that are in no other.
    EXPECT_EQ(all[1].cause, Cause::kRuntimeWork);
    EXPECT_EQ(all[1].node, at);
    EXPECT_NEAR(all[1].seconds, 0.5, 1e-12);
}

TEST_F(SerialLosses, AreNotMoreThanTheirSamplesAndNotLessThanNone) {
    made.time(0, main, THR_SERIAL_STATE, 2);
    figures.efficiency.serial = 3;
    EXPECT_NEAR(only_loss().seconds, 2 / 2.0, 1e-12);
    figures.efficiency.serial = -0.5;
    EXPECT_TRUE(losses().empty());
}

TEST_F(SerialLosses, AreMeasuredWhereHalfOfTheSamplesAreMissing) {
    made.time(0, kOutside, THR_SERIAL_STATE, 2);
    figures.efficiency.serial = 2;
    made.process.cells.back().samples = 100;
    EXPECT_FALSE(only_loss().is_measured);
    made.process.cells.back().samples = 99;
    EXPECT_TRUE(only_loss().is_measured);
}

class CrowdLosses : public LossRules {
  protected:
    CrowdLosses() {
        made.process.processors = 1;
        half_is_own();
        at = made.region("oversubscribed", 7, 1);
    }
    void off(unsigned thread, int node, double seconds) {
        made.time(thread, node, kNoProcessorState, seconds, 0);
        made.process.cells.back().within = THR_WORK_STATE;
    }
    // Each of two threads has been without a processor for a tenth of its time.
    void crowd(int node) {
        for (unsigned i = 0; i < 2; ++i) {
            made.time(i, node, THR_WORK_STATE, 4);
            made.time(i, node, THR_IBAR_STATE, 0.5);
            off(i, node, 0.5);
        }
    }

  public:
    int at = 0;
};

TEST_F(CrowdLosses, BeginAtATenthAndAtHalfOfTheProgramsOwn) {
    crowd(at);
    const Loss loss = only_loss();
    EXPECT_EQ(loss.cause, Cause::kOversubscription);
    EXPECT_EQ(loss.node, at);
    EXPECT_EQ(loss.seconds, 0); // 8 s of work are more than the 5 s of a thread
    EXPECT_NEAR(loss.thread_seconds, 1, 1e-12);
    EXPECT_EQ(loss.samples, 1000U);
    EXPECT_FALSE(loss.is_measured);
}

TEST_F(CrowdLosses, AreWhatProcessorsDoNotWork) {
    made.time(0, at, THR_WORK_STATE, 0.01);
    off(0, at, 0.04);
    off(1, at, 0.05);
    EXPECT_NEAR(only_loss().seconds, 0.05 - 0.01, 1e-12);
}

TEST_F(CrowdLosses, OfARegionWhoseForkWasNotSeen) {
    crowd(kUnknown);
    made.time(0, kOutside, THR_OVHD_STATE, 900);
    EXPECT_EQ(only_loss().node, kUnknown);
}

TEST_F(CrowdLosses, NeedMoreThreadsThanProcessors) {
    made.process.processors = 2;
    crowd(at);
    EXPECT_TRUE(losses().empty());
    for (Thread &thread : made.process.threads) {
        thread.fewest_processors = {1, 1};
    }
    EXPECT_EQ(only_loss().cause, Cause::kOneProcessor);
    // As many as are usable are no bond.
    for (Thread &thread : made.process.threads) {
        thread.fewest_processors = {0, 1};
    }
    EXPECT_TRUE(losses().empty());
}

// Bound from outside: the machine's other processors are the bound of the gain.
TEST_F(CrowdLosses, OfABoundProcessHaveTheMachinesProcessors) {
    for (Thread &thread : made.process.threads) {
        thread.fewest_processors = {0, 0};
    }
    made.process.others_cpu_seconds = 0;
    for (unsigned thread : {0U, 1U}) {
        made.time(thread, at, THR_WORK_STATE, 4);
        off(thread, at, 4);
    }
    EXPECT_EQ(only_loss().cause, Cause::kOversubscription);
    EXPECT_EQ(only_loss().seconds, 0);
    made.process.processors_online = 2;
    EXPECT_EQ(only_loss().cause, Cause::kOneProcessor);
    EXPECT_NEAR(only_loss().seconds, 8 - 8 / 2.0, 1e-12);
    made.process.processors_online = 64; // there are two threads
    EXPECT_NEAR(only_loss().seconds, 8 - 8 / 2.0, 1e-12);
}

// Of 1000 periods the kernel stopped half on both processors, which is 5 s and more of 100.
TEST_F(CrowdLosses, AreTheQuotasWhereItStopsTheProcess) {
    crowd(at);
    made.process.processors = 2;
    made.process.quota = 0.5;
    made.process.quota_periods = 1000;
    made.process.throttled_periods = 500;
    made.process.throttled_seconds = 2 * 4.9;
    EXPECT_TRUE(losses().empty());
    made.process.throttled_seconds = 2 * 5.1;
    EXPECT_EQ(only_loss().cause, Cause::kQuota);
    EXPECT_EQ(only_loss().node, at);
    EXPECT_NEAR(only_loss().seconds, 5.1, 1e-9);
    EXPECT_TRUE(only_loss().is_measured);
    made.process.throttled_seconds = 1000; // more than there is time
    EXPECT_NEAR(only_loss().seconds, 100, 1e-9);
}

TEST_F(CrowdLosses, AreOfTeamsInsideTeamsFromTwoThreadsOn) {
    const int inside = made.region("inside", 9, 1, at);
    const int beside = made.region("beside", 11, 1, at);
    crowd(inside);
    crowd(beside);
    RegionFigures &team = region(inside, 1);
    EXPECT_EQ(only_loss().cause, Cause::kOversubscription);
    EXPECT_EQ(only_loss().node, inside); // the first of two that have the same
    team.team = 2;
    EXPECT_EQ(only_loss().cause, Cause::kNestedOversubscription);
}

class TeamLosses : public LossRules {};

TEST_F(TeamLosses, OfASmallTeamAreTheShareOfUsableThreads) {
    made = MadeProcess(8, 100);
    made.process.processors = 4;
    threads = 8;
    RegionFigures &small = region(made.region("small", 7, 1));
    small.idle_outside = 12;
    small.within_samples[THR_IDLE_STATE] = 1200;
    small.samples = 9; // a thread that took part may have none of so few
    EXPECT_TRUE(losses().empty());
    small.samples = 10;
    const Loss loss = only_loss();
    EXPECT_EQ(loss.cause, Cause::kSmallTeam);
    EXPECT_NEAR(loss.seconds, 12 * (2.0 / 6) / 4, 1e-12); // two of six others have a processor
    EXPECT_EQ(loss.samples, 1200U);
    // Rows that threads shared are fewer than threads: no more than all of the time.
    made.process.processors = 64;
    made.process.threads.resize(4);
    EXPECT_NEAR(only_loss().seconds, 12 * 1.0 / 8, 1e-12);
    made.process.threads.resize(2);
    EXPECT_TRUE(losses().empty());
}

class WaitLosses : public LossRules {
  protected:
    WaitLosses() { at = made.region("waits", 7, 1); }
    // Each thread of two waits so long in barriers and is without a processor so long.
    RegionFigures &waits(int node, double seconds, double off) {
        RegionFigures &to = region(node);
        for (ThreadWork &thread : to.work) {
            thread.waited = seconds;
            thread.no_processor = off;
        }
        return to;
    }

  public:
    int at = 0;
};

// Without the time of who sleeps the rest of the longest thread's time is waiting.
TEST_F(WaitLosses, AreTheRestOfTheLongestWhereWaitingIsNotSeen) {
    made.process.has_wall_times = false;
    RegionFigures &uneven = region(at);
    uneven.work = {{0, 0.04, 0.02}, {1, 0.02, 0.005}};
    uneven.work[0].runtime = 0.01;
    uneven.work[1].runtime = 0.0025;
    uneven.work_max = 0.04;
    uneven.work_mean = 0.03;
    std::fill(std::begin(uneven.within_samples), std::end(uneven.within_samples), 0);
    uneven.within_samples[THR_WORK_STATE] = 40;
    uneven.within_samples[THR_IBAR_STATE] = 3;
    const double waited = (0.02 + 0.005 + (0.07 - 0.0275)) / 2;
    double all = 0;
    uint64_t samples = 0;
    for (const Loss &loss : losses()) {
        all += loss.seconds;
        samples += loss.cause == Cause::kRuntimeWork ? 0 : loss.samples;
    }
    EXPECT_NEAR(all, waited, 1e-12);
    // Threads differ by their samples of work.
    EXPECT_EQ(samples, 43U);
    // What the runtime did is waited for by the other of the two.
    EXPECT_NEAR(loss_by(Cause::kRuntimeWork).seconds, 0.0125 / 2, 1e-12);
}

class BarrierCauses : public WaitLosses {};

// While one thread is in its single or master parts, each of the others waits no longer than that.
TEST_F(BarrierCauses, SinglesHaveTheWaitsOfTheirTime) {
    RegionFigures &ones = waits(at, 2, 0);
    ones.within_samples[THR_EBAR_STATE] = 400;
    ones.single_seconds = 3;
    const Loss single = loss_by(Cause::kSingle);
    EXPECT_NEAR(single.seconds, 3 / 2.0, 1e-12);
    EXPECT_EQ(single.samples, 300U);
    EXPECT_NEAR(loss_by(Cause::kVaryingImbalance).seconds, 0.5, 1e-12);
    ones.single_seconds = 5; // some of it while the others worked
    EXPECT_EQ(only_loss().cause, Cause::kSingle);
    EXPECT_NEAR(only_loss().seconds, 2, 1e-12);
    // Those of other regions are none of this one's.
    ones.single_seconds = 0;
    region(made.region("other", 9, 1)).single_seconds = 5;
    EXPECT_EQ(only_loss().cause, Cause::kVaryingImbalance);
}

TEST_F(BarrierCauses, ALoneThreadDoesNineOfTenParts) {
    RegionFigures &lone = region(at);
    lone.work[0].seconds = 9;
    lone.work[1].seconds = 1;
    lone.work_max = 9;
    lone.work_mean = 5;
    lone.single_seconds = 9;
    EXPECT_EQ(cause_of_waits(lone, 4), Cause::kLoneThread);
    lone.work_max = 8.9;
    EXPECT_EQ(cause_of_waits(lone, 4), Cause::kSingle);
    // Without such parts it is a thread like others.
    lone.work_max = 9;
    lone.single_seconds = 0;
    EXPECT_EQ(cause_of_waits(lone, 4), Cause::kImbalance);
    made.process.events.clear();
    EXPECT_EQ(cause_of_waits(lone, 4), Cause::kImbalance);
}

TEST_F(BarrierCauses, WorkThatDiffersByAThirdOfTheWaitsShareIsEven) {
    RegionFigures &even = region(at);
    even.work_max = 10;
    even.work_mean = 8.34; // a sixth of the most; half of the time is waiting
    EXPECT_EQ(cause_of_waits(even, 8.34), Cause::kVaryingImbalance);
    even.work_mean = 8.33;
    EXPECT_EQ(cause_of_waits(even, 8.33), Cause::kImbalance);
}

class LockCauses : public LossRules {
  protected:
    Cause cause_of(const std::vector<double> &walls) {
        made.process.locks.clear();
        for (const double wall : walls) {
            made.lock(THR_LKWT_STATE, "lock", 1, wall);
        }
        figures.regions.clear();
        region(made.region("locks", 7, 1)).within.wall[THR_LKWT_STATE] = 1;
        return only_loss().cause;
    }
};

TEST_F(LockCauses, OneLockHasTwoOfThreeParts) {
    EXPECT_EQ(cause_of({2, 1}), Cause::kLockConvoy);
    EXPECT_EQ(cause_of({1.99, 1.01}), Cause::kLocks);
    EXPECT_EQ(cause_of({0.05}), Cause::kLockConvoy);
    EXPECT_EQ(cause_of({0.01, 0.01, 0.01}), Cause::kLocks);
    EXPECT_EQ(cause_of({}), Cause::kLocks);
}

} // namespace
} // namespace ocb_test
