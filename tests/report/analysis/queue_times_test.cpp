// SPDX-License-Identifier: Apache-2.0
#include "made_runs.h"

#include "queue_times.h"

#include <gtest/gtest.h>

namespace ocb_test {
namespace {

using ompcollect::CellFileRow;
using ompcollect::kNoProcessorState;

constexpr uint64_t kSecond = 1000000000;

// Waits of thread 0 that the clock has measured.
void add_measured(QueueTimes &times, int region, unsigned state, double seconds,
                  uint64_t waits = 1) {
    CellFileRow row = {};
    row.state = ompcollect::queue_state(state);
    row.on_samples.store(waits);
    row.on_ns.store(static_cast<uint64_t>(seconds * kSecond));
    EXPECT_TRUE(times.takes(row, 0, region));
}

// A region in which each of two threads works for 4 s, waits for a processor 3 s there, and 1 s on
// its way into a critical region.
struct Queues {
    MadeProcess made{2, 10};
    int region = made.region("queues", 7, 1);
    int code = made.function("work", 9, region);
    QueueTimes times;

    Queues() {
        for (unsigned thread = 0; thread < 2; ++thread) {
            made.time(thread, code, THR_WORK_STATE, 4);
            off(thread, code, THR_WORK_STATE, 2);
            off(thread, region, THR_WORK_STATE, 1);
            off(thread, region, THR_CTWT_STATE, 1);
        }
    }
    void off(unsigned thread, int node, unsigned within, double seconds) {
        made.time(thread, node, kNoProcessorState, seconds, 0);
        made.process.cells.back().within = within;
    }
    void measure(unsigned state, double seconds, uint64_t waits = 3) {
        add_measured(times, region, state, seconds, waits);
    }
    void sample(unsigned state, double on, double off) {
        CellFileRow row = {};
        row.state = ompcollect::unmeasured_queue_state(state);
        row.on_ns.store(static_cast<uint64_t>(on * kSecond));
        row.off_ns.store(static_cast<uint64_t>(off * kSecond));
        EXPECT_TRUE(times.takes(row, 0, region));
    }
    [[nodiscard]] double in(unsigned thread, unsigned state) const {
        double sum = 0;
        for (const Cell &cell : made.process.cells) {
            sum += cell.thread == thread && state_within(cell) == state ? cell.wall : 0;
        }
        return sum;
    }
    void settle() { times.settle_cells(made.process); }
};

TEST(QueueTimes, TakeNoOtherRow) {
    QueueTimes times;
    CellFileRow row = {};
    for (const uint32_t state : {uint32_t{THR_CTWT_STATE}, ompcollect::kLapState,
                                 ompcollect::kEntriesState, ompcollect::queue_state(THR_WORK_STATE),
                                 ompcollect::unmeasured_queue_state(THR_WORK_STATE)}) {
        row.state = state;
        EXPECT_FALSE(times.takes(row, 0, 0)) << state;
    }
}

TEST(QueueTimes, AreTakenFromTheThreadsOwnCode) {
    Queues queues;
    queues.measure(THR_CTWT_STATE, 2.5);
    queues.settle();
    EXPECT_NEAR(queues.in(0, THR_CTWT_STATE), 2.5, 1e-9);
    EXPECT_NEAR(queues.in(0, THR_WORK_STATE), 5.5, 1e-9);
    EXPECT_NEAR(queues.in(1, THR_CTWT_STATE), 1, 1e-9);
    // Each place has its part of it; what processors executed stays.
    EXPECT_NEAR(queues.made.process.cells[1].wall, 1, 1e-9);
    EXPECT_NEAR(queues.made.process.cells[2].wall, 0.5, 1e-9);
    EXPECT_NEAR(queues.made.process.cells[0].wall, 4, 1e-9);
    EXPECT_EQ(queues.made.process.cells.size(), 8U); // there is one for it
}

TEST(QueueTimes, GoToTheThreadsOwnCodeWhereSamplesHaveTooMuch) {
    Queues queues;
    queues.measure(THR_CTWT_STATE, 0.25);
    queues.settle();
    EXPECT_NEAR(queues.in(0, THR_CTWT_STATE), 0.25, 1e-9);
    EXPECT_NEAR(queues.in(0, THR_WORK_STATE), 7.75, 1e-9);
}

TEST(QueueTimes, HaveBesideThemWhatSamplesHaveOfOtherWaits) {
    Queues queues;
    queues.measure(THR_CTWT_STATE, 1);
    queues.sample(THR_CTWT_STATE, 0.25, 0.5);
    queues.settle();
    EXPECT_NEAR(queues.in(0, THR_CTWT_STATE), 1.75, 1e-9);
}

TEST(QueueTimes, HaveAPlaceWhereNoSampleHasFoundThem) {
    Queues queues;
    queues.measure(THR_LKWT_STATE, 0.5);
    queues.settle();
    EXPECT_NEAR(queues.in(0, THR_LKWT_STATE), 0.5, 1e-9);
    EXPECT_EQ(queues.made.process.cells.back().node, queues.region);
    EXPECT_NEAR(queues.in(0, THR_WORK_STATE), 6.5, 1e-9);
}

TEST(QueueTimes, AreNotLongerThanTheThreadLackedAProcessor) {
    Queues queues;
    queues.measure(THR_CTWT_STATE, 1e9);
    queues.settle();
    EXPECT_NEAR(queues.in(0, THR_CTWT_STATE), 4, 1e-9);
    EXPECT_NEAR(queues.in(0, THR_WORK_STATE), 4, 1e-9);
}

TEST(QueueTimes, OfNoWaitLeaveTheSamples) {
    Queues queues;
    queues.measure(THR_CTWT_STATE, 0, 0);
    queues.settle();
    EXPECT_NEAR(queues.in(0, THR_CTWT_STATE), 1, 1e-9);
}

TEST(QueueTimes, AreTheLocksAndTheirHolders) {
    Queues queues;
    queues.made.process.locks.push_back({THR_CTWT_STATE, 1, {}, {}, 3, 100, 2, 0, {}});
    queues.made.process.locks.back().holders.push_back({queues.code, {}, 1.5, 10});
    queues.made.process.locks.push_back({THR_LKWT_STATE, 2, {}, {}, 3, 100, 2, 0, {}});
    queues.measure(THR_CTWT_STATE, 2); // of both threads 3 s, 2 s by samples
    queues.settle();
    queues.times.settle_locks(queues.made.process);
    EXPECT_NEAR(queues.made.process.locks[0].wall, 3, 1e-9);
    EXPECT_NEAR(queues.made.process.locks[0].holders[0].wall, 2.25, 1e-9);
    EXPECT_NEAR(queues.made.process.locks[1].wall, 2, 1e-9);
}

// Cells of no samples, which took no processor.
TEST(QueueTimes, OfTwoKindsGoToOneNewCell) {
    MadeProcess made{1, 10};
    const int region = made.region("queues", 7, 1);
    for (const unsigned state : {THR_LKWT_STATE, THR_CTWT_STATE}) {
        made.time(0, region, kNoProcessorState, 2, 0);
        made.process.cells.back().within = state;
    }
    QueueTimes times;
    for (const unsigned state : {THR_LKWT_STATE, THR_CTWT_STATE}) {
        add_measured(times, region, state, 0.5);
    }
    times.settle_cells(made.process);
    ASSERT_EQ(made.process.cells.size(), 3U);
    EXPECT_NEAR(made.process.cells[0].wall, 0.5, 1e-9);
    EXPECT_NEAR(made.process.cells[1].wall, 0.5, 1e-9);
    const Cell &own = made.process.cells[2];
    EXPECT_NEAR(own.wall, 3, 1e-9);
    EXPECT_EQ(state_within(own), THR_WORK_STATE);
    EXPECT_EQ(own.state, kNoProcessorState);
    EXPECT_EQ(own.cpu, 0);
    EXPECT_EQ(own.samples, 0U);
}

TEST(QueueTimes, LeaveWhereThereIsNothingToTake) {
    MadeProcess made{1, 10};
    const int region = made.region("queues", 7, 1);
    made.time(0, region, THR_CTWT_STATE, 2, 0);
    QueueTimes times;
    add_measured(times, region, THR_CTWT_STATE, 1);
    times.settle_cells(made.process);
    EXPECT_EQ(made.process.cells.size(), 1U);
    EXPECT_NEAR(made.process.cells[0].wall, 2, 1e-9);
}

// Their samples are no waits that the clock has measured; and they may lie outside of all regions.
TEST(QueueTimes, OfSamplesAloneChangeNothing) {
    Queues queues;
    CellFileRow row = {};
    row.state = ompcollect::unmeasured_queue_state(THR_CTWT_STATE);
    row.on_samples.store(7);
    row.on_ns.store(2 * kSecond);
    EXPECT_TRUE(queues.times.takes(row, 0, queues.region));
    row.state = ompcollect::queue_state(THR_CTWT_STATE);
    EXPECT_TRUE(queues.times.takes(row, 0, kOutside));
    queues.settle();
    EXPECT_NEAR(queues.in(0, THR_CTWT_STATE), 1, 1e-9);
}

// What processors ran of a queue is known better.
TEST(QueueTimes, OfLocksScaleTheTimeOffTheProcessor) {
    Queues queues;
    queues.made.time(0, queues.region, THR_CTWT_STATE, 1, 1);
    queues.made.process.locks.push_back({THR_CTWT_STATE, 1, {}, {}, 3, 100, 3, 1, {}});
    queues.made.process.locks.push_back({THR_LKWT_STATE, 2, {}, {}, 3, 100, 2, 0, {}});
    queues.measure(THR_CTWT_STATE, 3); // 1 s of it on a processor; of both threads 2 s off, now 3
    queues.measure(THR_LKWT_STATE, 0.5);
    queues.settle();
    EXPECT_NEAR(queues.in(0, THR_CTWT_STATE), 3, 1e-9);
    queues.times.settle_locks(queues.made.process);
    EXPECT_NEAR(queues.made.process.locks[0].wall, 4, 1e-9);
    // Of locks that no sample has found nobody knows which it was.
    EXPECT_NEAR(queues.made.process.locks[1].wall, 2, 1e-9);
}

// A run of a moment; and one whose samples have found no thread off its processor in a queue.
TEST(QueueTimes, OfLocksHoldForAnyTimes) {
    for (const double before : {0.25, 0.0}) {
        MadeProcess made{1, 1};
        const int region = made.region("queues", 7, 1);
        made.time(0, region, THR_CTWT_STATE, 0.5 + before, 0.5);
        made.time(0, region, kNoProcessorState, 1, 0);
        made.process.cells.back().within = THR_WORK_STATE;
        made.process.locks.push_back({THR_CTWT_STATE, 1, {}, {}, 3, 100, 0.75, 0.5, {}});
        QueueTimes times;
        add_measured(times, region, THR_CTWT_STATE, 1);
        times.settle_cells(made.process);
        times.settle_locks(made.process);
        EXPECT_NEAR(made.process.locks[0].wall, before > 0 ? 1 : 0.75, 1e-9) << before;
    }
}

} // namespace
} // namespace ocb_test
