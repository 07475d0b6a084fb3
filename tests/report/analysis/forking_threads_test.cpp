// SPDX-License-Identifier: Apache-2.0
//
// Threads of the program's own that fork regions, while the initial thread waits for them.
#include "findings.h"
#include "made_runs.h"
#include "region_figures.h"
#include "serial_place.h"

#include <gtest/gtest.h>

namespace ocb_test {
namespace {

using ompcollect::kAsleepState;

// Thread 0 sleeps for 10 s in main; thread 1 forks for 6 s, of which it sleeps 2 s before.
class ForkingOnes : public testing::Test {
  protected:
    ForkingOnes() : made_(3, 10) {
        main_ = made_.function("main", 1);
        part_ = made_.function("part", 5);
        region_ = made_.region("part", 7, 3, part_);
        made_.process.threads[1].events[OMP_EVENT_FORK] = 3;
        made_.process.threads[1].begin = 4;
        asleep(0, main_, 10);
        asleep(1, part_, 2);
        made_.time(1, region_, THR_WORK_STATE, 4);
        made_.time(2, region_, THR_WORK_STATE, 4);
    }
    void asleep(unsigned thread, int node, double seconds) {
        made_.time(thread, node, kAsleepState, seconds, 0);
        made_.process.cells.back().within = THR_SERIAL_STATE;
    }
    [[nodiscard]] SerialPlace at(int node) const {
        for (const SerialPlace &place : serial_places(made_.process)) {
            if (place.node == node) {
                return place;
            }
        }
        return {};
    }

    MadeProcess made_;
    int main_ = 0;
    int part_ = 0;
    int region_ = 0;
};

// What it slept before they began is the program's.
TEST_F(ForkingOnes, AreNotWaitedForByWhoNeverForks) {
    EXPECT_EQ(ForkingThreads(made_.process).count(), 1U);
    EXPECT_NEAR(at(main_).seconds, 10 - 6, 1e-9);
    EXPECT_NEAR(at(part_).seconds, 2, 1e-9);
    made_.process.threads[1].begin = 0;
    EXPECT_EQ(at(main_).seconds, 0);
    made_.process.threads[1].end = 9;
    made_.process.threads[2].events[OMP_EVENT_FORK] = 1; // until 10 s
    EXPECT_EQ(at(main_).seconds, 0);
}

TEST_F(ForkingOnes, MayBeTheInitialThread) {
    made_.process.threads[0].events[OMP_EVENT_FORK] = 1;
    EXPECT_NEAR(at(main_).seconds, 10, 1e-9);
    EXPECT_NEAR(at(part_).seconds, 2, 1e-9);
}

// Of a run without that count all of it is the program's.
TEST_F(ForkingOnes, MayBeUnknown) {
    for (Thread &thread : made_.process.threads) {
        thread.events.clear();
    }
    EXPECT_EQ(ForkingThreads(made_.process).count(), 0U);
    EXPECT_NEAR(at(main_).seconds, 10, 1e-9);
}

TEST_F(ForkingOnes, WorkWhereItIsSerial) {
    made_.time(0, main_, THR_SERIAL_STATE, 1);
    bool is_found = false;
    for (const SerialPlace &place : serial_places(made_.process)) {
        is_found |= place.cause == Cause::kSerial && place.node == main_ && place.seconds == 1;
    }
    EXPECT_TRUE(is_found);
}

// Main only waits for them.
TEST_F(ForkingOnes, HaveTheFindingWhereTheySleep) {
    made_.process.threads[1].begin = 0;
    const auto findings = findings_of(made_.process, figures_of(made_.process));
    ASSERT_FALSE(findings.empty());
    EXPECT_EQ(findings[0].cause, Cause::kSerialAsleep);
    EXPECT_EQ(findings[0].place, "part made.c:5");
    EXPECT_NEAR(findings[0].seconds, 2, 1e-9);
}

// Three threads fork the same region by turns, each for 3 s of 10, with a worker of its own that is
// idle meanwhile; the last second nobody does. `main` waits for them.
class ByTurns : public testing::Test {
  protected:
    ByTurns() : made_(7, 10) {
        made_.process.processors = 2;
        const int main = made_.function("main", 1);
        region_ = made_.region("part", 7, 3);
        made_.time(0, main, kAsleepState, 10, 0);
        made_.process.cells.back().within = THR_SERIAL_STATE;
        for (unsigned i = 1; i < 7; i += 2) {
            made_.process.threads[i].events[OMP_EVENT_FORK] = 1;
            made_.time(i, kOutside, kAsleepState, 7, 0);
            made_.process.cells.back().within = THR_SERIAL_STATE;
            made_.time(i, region_, THR_WORK_STATE, 3);
            made_.time(i + 1, region_, THR_WORK_STATE, 3);
            made_.time(i + 1, region_, THR_IDLE_STATE, 6, 0);
            made_.time(i + 1, kOutside, THR_IDLE_STATE, 1, 0);
        }
        made_.process.nodes[static_cast<size_t>(region_)].masters = 3;
        made_.process.in_regions_seconds = 9;
    }
    MadeProcess made_;
    int region_ = 0;
};

TEST_F(ByTurns, TheElapsedTimeIsCutByWhatRuns) {
    const Figures figures = figures_of(made_.process);
    EXPECT_NEAR(figures.efficiency.serial, 1, 1e-9);
    EXPECT_GT(figures.efficiency.parallel, 0.85);
    // Of a run that was saved before this was looked at, what one thread did is all that is known.
    made_.process.in_regions_seconds = kNotKnown;
    EXPECT_NEAR(figures_of(made_.process).efficiency.serial, 7, 1e-9);
}

// Looks are samples: the one thread's own time is exact.
TEST_F(ByTurns, OfOneForkingThreadItsOwnTimeCounts) {
    made_.process.threads[3].events[OMP_EVENT_FORK] = 0;
    made_.process.threads[5].events[OMP_EVENT_FORK] = 0;
    EXPECT_NEAR(figures_of(made_.process).efficiency.serial, 7, 1e-9);
}

TEST_F(ByTurns, IdleWorkersOfOtherPoolsAreNotLate) {
    const Figures figures = figures_of(made_.process);
    for (const Loss &loss : figures.losses) {
        EXPECT_TRUE(loss.cause != Cause::kRuntimeWork && loss.cause != Cause::kSmallTeam)
            << cause_key(loss.cause) << ' ' << loss.seconds;
    }
    // A worker that comes a second late is.
    for (Cell &cell : made_.process.cells) {
        cell.wall -= cell.thread == 2 && cell.state == THR_WORK_STATE ? 1 : 0;
    }
    double idle = 0;
    for (const RegionFigures &each : figures_of(made_.process).regions) {
        for (const ThreadWork &thread : each.work) {
            idle += thread.idle;
        }
    }
    EXPECT_NEAR(idle, 1, 1e-9);
}

} // namespace
} // namespace ocb_test
