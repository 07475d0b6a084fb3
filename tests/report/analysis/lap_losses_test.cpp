// SPDX-License-Identifier: Apache-2.0
//
// Laps: what the program's own part of the waiting is, beside others on the machine and alone. And
// what else is the machine's there: threads that are late, and time that all code takes longer.
#include "loss_rules.h"

#include "region_shape.h"

namespace ocb_test {
namespace {

using ompcollect::kNoProcessorState;

// Two threads that come to 40 barriers, by turns last, and lack a processor for 8 s each.
class LapLosses : public LossRules {
  protected:
    LapLosses() {
        made.process.waited_for_own = 0;
        made.process.waited_for_others = 16;
        RegionFigures &to = region(made.region("laps", 7, 1));
        to.elapsed = 24;
        to.own = 48;
        for (ThreadWork &thread : to.work) {
            thread.no_processor = 8;
            thread.waited = 6;
        }
        lap(0, 40, 20, 8);
        lap(1, 40, 20, 8);
    }
    // So many, and how often last; all of them together ran for 10 s, those for `late_ran`.
    void lap(unsigned thread, uint64_t count, uint64_t late, double late_ran) {
        RegionLaps &laps = at().laps;
        laps.of[thread] = {thread, 0, count, late, 10, late_ran, 0, 0};
        laps.laps = laps.late = 0;
        for (const auto &[number, each] : laps.of) {
            laps.laps += each.laps;
            laps.late += each.late;
        }
    }
    // What the last ones ran in all.
    void last_ones_ran(double seconds) {
        at().laps.of[0].late_ran = at().laps.of[1].late_ran = seconds / 2;
    }
    RegionFigures &at() { return figures.regions[0]; }
    [[nodiscard]] LapShares shares() { return lap_shares(at()); }
};

// Who comes last has run 16 s in all: the mean is 10.
TEST_F(LapLosses, AreTheSharesOfWhoComesLast) {
    EXPECT_TRUE(shares().is_known);
    EXPECT_NEAR(shares().waits, 1 - 10.0 / 16, 1e-12);
    EXPECT_EQ(shares().by_thread, 0);
    at().laps.of[0].ran = 15;
    at().laps.of[1].ran = 5;
    EXPECT_NEAR(shares().by_thread, 1 - 10.0 / 15, 1e-12);
    last_ones_ran(9);
    EXPECT_EQ(shares().waits, 0);
}

// Of the last barriers it is not known who came last.
TEST_F(LapLosses, StandForThoseWhoseLastThreadIsNotKnown) {
    lap(0, 40, 16, 6.4);
    EXPECT_NEAR(shares().waits, 1 - 10.0 / 16, 1e-12);
}

// What a thread ran in barriers, by its samples, goes with how long it waited in them.
TEST_F(LapLosses, AreWithoutWaitsAwake) {
    at().work[0].ran = 20;
    at().work[0].awake = 4; // a fifth
    at().laps.of[0].waited = 8;
    at().laps.of[0].late_waited = 4;
    at().work[1].ran = 10;
    at().work[1].awake = 1;
    at().laps.of[1].waited = at().laps.of[1].late_waited = 4;
    EXPECT_NEAR(shares().waits, 1 - (8 + 9) / 2.0 / (8 - 1 + 8 - 1), 1e-12);
    EXPECT_NEAR(shares().by_thread, 1 - 8.5 / 9, 1e-12);
    at().laps.of[0].late_waited = 80; // more than in all
    EXPECT_NEAR(shares().waits, 1 - (8 + 9) / 2.0 / (8 - 2 + 8 - 1), 1e-12);
    at().work[0].awake = 20;
    EXPECT_NEAR(shares().waits, 1 - 9 / 2.0 / (8 - 1), 1e-12);
}

// Who lacks a processor for long comes last with little work.
TEST_F(LapLosses, AreNoLessThanByTheThreadWithMostWork) {
    last_ones_ran(10);
    at().laps.of[0].ran = 16;
    at().laps.of[1].ran = 4;
    at().within_samples[THR_WORK_STATE] = 57; // their error is nearly half of the difference
    EXPECT_NEAR(shares().waits, 1 - 10.0 / 16, 1e-12);
    at().within_samples[THR_WORK_STATE] = 56;
    EXPECT_EQ(shares().waits, 0);
    EXPECT_NEAR(shares().by_thread, 1 - 10.0 / 16, 1e-12);
    at().within_samples[THR_WORK_STATE] = 57;
    last_ones_ran(20);
    EXPECT_NEAR(shares().waits, 1 - 10.0 / 20, 1e-12);
}

TEST_F(LapLosses, AreNotKnownOfFew) {
    lap(0, 10, 5, 8);
    lap(1, 10, 5, 8);
    EXPECT_TRUE(shares().is_known);
    lap(0, 9, 5, 8);
    EXPECT_FALSE(shares().is_known);
}

// Each entry has one, which begins at its fork: then those of few entries speak for all.
TEST_F(LapLosses, AreKnownOfFewWhereEachEntryHasOne) {
    at().entries = 5;
    lap(0, 5, 3, 8);
    lap(1, 5, 2, 8);
    EXPECT_TRUE(shares().is_known);
    EXPECT_TRUE(shares().has_no_waits);
    at().entries = 6; // one has none
    EXPECT_FALSE(shares().is_known);
    at().entries = 5;
    at().laps.of[0].waited = 1; // not at a fork
    EXPECT_FALSE(shares().is_known);
}

// And what libgomp's master ran while it waited for workers, outside of the region, is none of it.
TEST_F(LapLosses, BehindForksAreWithoutTheForking) {
    at().entries = 80; // a half was measured
    at().laps.of[0].late_ran = at().laps.of[1].late_ran = 8;
    at().work[0].forking = 4;
    EXPECT_TRUE(shares().has_no_waits);
    EXPECT_NEAR(shares().waits, 1 - (8 + 10) / 2.0 / (6 + 8), 1e-12);
    EXPECT_NEAR(shares().by_thread, 1 - 9.0 / 10, 1e-12);
    at().work[0].forking = 100; // more than in all
    EXPECT_NEAR(shares().waits, 1 - 10 / 2.0 / 8, 1e-12);
}

TEST_F(LapLosses, AreNotKnownWhereTheirLastThreadsDoNotFit) {
    for (const auto &[late, is_known] :
         {std::pair{12U, true}, {11U, false}, {30U, true}, {31U, false}}) {
        lap(1, 40, late, 8);
        EXPECT_EQ(shares().is_known, is_known) << late;
    }
}

TEST_F(LapLosses, AreOfAWholeTeam) {
    at().team = 3;
    EXPECT_FALSE(shares().is_known);
    at().team = 1;
    at().laps.of.erase(1);
    EXPECT_FALSE(shares().is_known);
}

TEST_F(LapLosses, AreNotKnownWhereNothingRan) {
    at().laps.of[0].ran = at().laps.of[1].ran = 0;
    EXPECT_FALSE(shares().is_known);
    EXPECT_EQ(shares().waits, 0);
}

// 6 s of waiting; laps explain a quarter of 24 s.
TEST_F(LapLosses, HaveTheWaitsThatLapsExplain) {
    last_ones_ran(40 / 3.0);
    EXPECT_NEAR(only_loss().seconds, 6, 1e-12);
    EXPECT_EQ(only_loss().cause, Cause::kWanderingImbalance);
    last_ones_ran(12); // a sixth
    EXPECT_NEAR(only_loss().seconds, 4, 1e-12);
    last_ones_ran(10);
    EXPECT_TRUE(losses().empty());
}

// Of 24 s a quarter, though its threads waited for 3 s only: they had more of the processors then.
TEST_F(LapLosses, AreTheirShareOfTheTimeWhereTheirWorkIsWaitedFor) {
    last_ones_ran(40 / 3.0);
    for (ThreadWork &thread : at().work) {
        thread.waited = 3;
    }
    EXPECT_NEAR(only_loss().seconds, 6, 1e-12);
    at().work[0].queued = at().work[1].queued = 4;
    EXPECT_NEAR(only_loss().seconds, (24 - 4) / 4.0, 1e-12);
    at().work[0].queued = at().work[1].queued = 0;
    // The last ones have 10 / 3 s more to do than all in the mean.
    for (ThreadWork &thread : at().work) {
        thread.waited = 0.79 * 10 / 3;
    }
    EXPECT_NEAR(only_loss().seconds, 0.79 * 10 / 3, 1e-12);
}

// A thread that sleeps is waited for, whatever the machine does.
TEST_F(LapLosses, HaveWhoSleeps) {
    last_ones_ran(10);
    at().work[0].asleep = 8;
    at().work[0].waited = 0;
    at().work[1].waited = 6;
    EXPECT_NEAR(loss_by(Cause::kAsleep).seconds, 8 / 2.0 + 3, 1e-12);
    at().work[1].asleep = 8; // as the other one
    EXPECT_NEAR(loss_by(Cause::kAsleep).seconds, 16 / 2.0, 1e-12);
}

// More than threads lacked a processor the machine does not explain.
TEST_F(LapLosses, HaveWhatTheMachineCannotExplain) {
    last_ones_ran(10);
    at().work[0].no_processor = at().work[1].no_processor = 3;
    EXPECT_NEAR(only_loss().seconds, 6 - 3, 1e-12);
    made.process.waited_for_own = 16; // the half
    EXPECT_NEAR(only_loss().seconds, 6 - 1.5, 1e-12);
}

// Behind forks the time without a processor in barriers and idleness is the machine's, too.
TEST_F(LapLosses, BehindForksTheMachineHasWaitsWithoutAProcessor) {
    last_ones_ran(10);
    at().entries = 40;
    const auto are_off = [&](double first, double second) {
        for (ThreadWork &thread : at().work) {
            thread.no_processor = 0;
        }
        at().work[0].off_meeting = first;
        at().work[1].off_meeting = second;
    };
    are_off(4, 2);
    EXPECT_NEAR(only_loss().seconds, 6 - 3, 1e-12);
    made.process.waited_for_own = 16; // the half
    EXPECT_NEAR(only_loss().seconds, 6 - 1.5, 1e-12);
    made.process.waited_for_own = 0;
    are_off(1.21, 1.2);
    EXPECT_NEAR(only_loss().seconds, 6 - 1.205, 1e-12);
    are_off(1.2, 1.2); // others are not noticed
    EXPECT_GT(loss_by(Cause::kWanderingImbalance).seconds, 6 - 1.2);
    at().entries = 10; // more than one barrier in each
    are_off(4, 2);
    EXPECT_GT(loss_by(Cause::kWanderingImbalance).seconds, 6 - 3);
}

// The limit is a twentieth of the region's time; below it all waits count.
TEST_F(LapLosses, CountBesideOthersAlone) {
    last_ones_ran(10);
    for (ThreadWork &thread : at().work) {
        thread.no_processor = 1.2;
    }
    EXPECT_GT(loss_by(Cause::kWanderingImbalance).seconds, 6 - 1.2);
    at().work[0].no_processor = 1.21;
    EXPECT_NEAR(only_loss().seconds, 6 - 1.205, 1e-12);
}

TEST_F(LapLosses, TellTheSameThreadFromAnother) {
    last_ones_ran(16);
    at().laps.of[0].ran = 10 / 0.82; // of the most the mean is 0.82, and 3/16 is the half
    at().laps.of[1].ran = 20 - 10 / 0.82;
    EXPECT_EQ(losses().back().cause, Cause::kWanderingImbalance);
    at().laps.of[0].ran = 10 / 0.81;
    at().laps.of[1].ran = 20 - 10 / 0.81;
    EXPECT_EQ(losses().back().cause, Cause::kImbalance);
}

// A thread that stays in a barrier while no team-mate works is ready to go on.
TEST_F(LapLosses, AreNotMoreThanTeamMatesWereBusy) {
    at().laps = {};
    at().elapsed = 100;
    for (ThreadWork &thread : at().work) {
        thread.seconds = 1;
        thread.no_processor = 6;
        thread.asleep = thread.queued = thread.runtime = 0;
        thread.waited = 40;
    }
    EXPECT_NEAR(waits_for_mates(at()), 7, 1e-12);
    at().work[0].asleep = 1;
    at().work[0].queued = 2;
    at().work[0].runtime = 3;
    EXPECT_NEAR(waits_for_mates(at()), (7 + 13) / 2.0, 1e-12);
    at().work[1].waited = 2;
    EXPECT_NEAR(waits_for_mates(at()), (7 + 2) / 2.0, 1e-12);
}

class BesideOthers : public LossRules {
  protected:
    BesideOthers() {
        made.process.waited_for_own = 0;
        made.process.waited_for_others = 16;
        RegionFigures &to = region(made.region("loop", 7, 1));
        to.elapsed = 24;
        to.own = 48;
    }
    RegionFigures &at() { return figures.regions[0]; }
};

// A region takes no less than as much longer as its most work is more than the mean.
TEST_F(BesideOthers, WorkTellsTheLeastThatIsLost) {
    for (ThreadWork &thread : at().work) {
        thread.no_processor = 8;
        thread.waited = 4.5;
    }
    at().work[0].seconds = at().work_max = 15;
    at().work[1].seconds = at().work_min = 5;
    at().within_samples[THR_WORK_STATE] = 73;
    EXPECT_NEAR(only_loss().seconds, 24 * (1 - 10 / 15.0), 1e-12);
    EXPECT_EQ(only_loss().cause, Cause::kImbalance);
    at().within_samples[THR_WORK_STATE] = 72; // their error is half of the difference
    EXPECT_LT(only_loss().seconds, 4.5 + 1e-12);
    at().within_samples[THR_WORK_STATE] = 73;
    made.process.waited_for_own = 1e9;
    EXPECT_NEAR(only_loss().seconds, 4.5, 1e-6); // what was waited, on a machine of its own
    made.process.waited_for_own = 0;
    for (ThreadWork &thread : at().work) {
        thread.waited = 3.9; // a dynamic schedule
    }
    EXPECT_LT(only_loss().seconds, 3.9 + 1e-12);
}

// A worker that others keep from its begin, and who waits for it awake.
TEST_F(BesideOthers, LateThreadsAreTheMachines) {
    at().work[1].idle = 6;
    at().work[1].idle_off = at().work[1].off_meeting = 4;
    EXPECT_TRUE(losses().empty()); // 2 s awake, while it lacked a processor for 4 s
    at().work[1].idle_off = at().work[1].off_meeting = 1;
    EXPECT_NEAR(only_loss().seconds, (6 - 1) / 2.0 - 1, 1e-12);
    made.process.waited_for_own = 16;
    EXPECT_NEAR(only_loss().seconds, (6 - 0.5) / 2 - 0.5, 1e-12);
    made.process.waited_for_others = 0;
    EXPECT_NEAR(only_loss().seconds, 3, 1e-12);
}

// Who leaves a barrier late comes late to the next fork: it lacked a processor in the barrier.
TEST_F(BesideOthers, WaitsForWhoCannotLeaveABarrierAreTheMachines) {
    at().work[1].idle = 6;
    at().work[0].off_meeting = 2;
    EXPECT_NEAR(only_loss().seconds, 6 / 2.0 - 2, 1e-12);
    at().work[1].off_meeting = 1;
    EXPECT_TRUE(losses().empty());
    made.process.waited_for_own = 48;
    EXPECT_NEAR(only_loss().seconds, 6 / 2.0 - 3 / 4.0, 1e-12);
    at().team = 4;
    EXPECT_NEAR(only_loss().seconds, 6 / 4.0 - 1 / 4.0, 1e-12);
}

// The same of who forks: in the runtime, without a processor, outside of regions.
TEST_F(BesideOthers, ForksWithoutAProcessorAreTheMachines) {
    made.time(0, kOutside, THR_SERIAL_STATE, 1e-9);
    made.time(0, kOutside, THR_OVHD_STATE, 2);
    made.time(0, kOutside, kNoProcessorState, 5, 0);
    made.process.cells.back().within = THR_OVHD_STATE;
    figures.efficiency.elapsed = 100;
    figures.efficiency.serial = 7 + 1e-9;
    EXPECT_NEAR(loss_by(Cause::kRuntimeWork).seconds, 2, 1e-6);
    made.process.waited_for_own = 16;
    EXPECT_NEAR(loss_by(Cause::kRuntimeWork).seconds, 2 + 2.5, 1e-6);
}

// A pragma's line has 2 s of work in a region that runs for `executed`.
class PragmaLosses : public BesideOthers {
  protected:
    PragmaLosses() {
        at().node = made.region("sum", 9, 1);
        made.time(0, at().node, THR_WORK_STATE, 2);
        Line line;
        line.source = "made.c:9";
        line.function = "sum";
        line.times.wall[THR_WORK_STATE] = 2;
        line.samples = 200;
        made.process.lines = {line};
        at().times.wall[THR_WORK_STATE] = 8;
    }
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

// Beside others all code takes longer by the clock: a quarter of it is a quarter of the time.
TEST_F(PragmaLosses, AreTheSameShareOfTheTimeBesideOthers) {
    for (ThreadWork &thread : at().work) {
        thread.no_processor = 8;
        thread.waited = 4;
    }
    EXPECT_NEAR(loss_by(Cause::kReduction).seconds, 24 / 4.0, 0.01);
    // What the line itself lacked a processor for is no part of what ran.
    made.time(0, at().node, kNoProcessorState, 1, 0);
    made.process.cells.back().within = THR_WORK_STATE;
    made.process.lines[0].times.wall[kNoProcessorState] = 1;
    EXPECT_NEAR(loss_by(Cause::kReduction).seconds, 24 / 4.0, 0.01);
    // Nor is what a thread lacked one for while it combined.
    at().times.wall[THR_REDUC_STATE] = 1;
    at().within.wall[THR_REDUC_STATE] = 99;
    EXPECT_NEAR(loss_by(Cause::kReduction).seconds, 24 / 3.0, 0.01);
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
    // Beside others slices end there more often than its work explains.
    at().work[0].no_processor = at().work[1].no_processor = 2;
    EXPECT_NEAR(only_loss().seconds, (0.6 + 2) / 2, 2e-3);
    at().work[0].no_processor = at().work[1].no_processor = 0;
    at().within.wall[THR_ATWT_STATE] = 0.1;
    EXPECT_EQ(losses().back().cause, Cause::kReduction);
    at().within.wall[THR_ATWT_STATE] = 0;
    at().within.wall[THR_REDUC_STATE] = 0.1;
    EXPECT_EQ(losses().back().cause, Cause::kReduction);
}

} // namespace
} // namespace ocb_test
