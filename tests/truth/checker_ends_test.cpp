// SPDX-License-Identifier: Apache-2.0
//
// The truth checker on logs made by hand: workers, the ends of regions and phases, the summary.
#include "story.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ocb_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The master forks and joins; the worker leaves idle for the region and comes back.
Log with_worker(std::uint64_t named, std::uint64_t leaves_at, std::uint64_t joins_at = 10 * kMs) {
    Story master;
    master.mark(0, "any FORK JOIN", THR_SERIAL_STATE, 0).fork(kMs).join(joins_at);
    Story worker(1);
    worker.event(1, OMP_EVENT_THR_BEGIN_IDLE, THR_IDLE_STATE, 0)
        .event(leaves_at, OMP_EVENT_THR_END_IDLE, THR_IDLE_STATE, named);
    return log_of({master, worker});
}

TEST(Checker, AWorkerEntersARegionThatRuns) {
    EXPECT_THAT(check(with_worker(kRegion, 2 * kMs)).complaints, IsEmpty());
    EXPECT_THAT(check(with_worker(0, 2 * kMs)).complaints, IsEmpty());
    const auto not_running = HasSubstr("END_IDLE names a region that does not run");
    EXPECT_THAT(check(with_worker(kRegion, kMs)).complaints, ElementsAre(not_running));
    EXPECT_THAT(check(with_worker(kRegion, 10 * kMs)).complaints, ElementsAre(not_running));
    EXPECT_THAT(check(with_worker(kRegion + 1, 2 * kMs)).complaints, ElementsAre(not_running));
    EXPECT_THAT(check(with_worker(kRegion, 10 * kMs - 1)).complaints, IsEmpty());
    Story open;
    open.mark(0, "any FORK", THR_SERIAL_STATE, 0).fork(kMs);
    Story late(1);
    late.event(1, OMP_EVENT_THR_BEGIN_IDLE, THR_IDLE_STATE, 0)
        .event(kMs + 1, OMP_EVENT_THR_END_IDLE, THR_IDLE_STATE, kRegion);
    EXPECT_THAT(check(log_of({open, late})).complaints, IsEmpty());
}

TEST(Checker, AnIdleWorkerIsInNoRegion) {
    Log log = with_worker(kRegion, 2 * kMs);
    Story worker(1);
    worker.thread = log.threads[1];
    Story elsewhere = worker;
    elsewhere.mark(3 * kMs, "any", THR_SERIAL_STATE, 0);
    log.threads[1] = elsewhere.thread;
    EXPECT_THAT(check(log).complaints, Contains(HasSubstr("region 0, the events say 7")));
    worker.mark(3 * kMs, "any BEGIN_IDLE", THR_WORK_STATE, kRegion)
        .event(4 * kMs, OMP_EVENT_THR_BEGIN_IDLE, THR_IDLE_STATE, kRegion);
    log.threads[1] = worker.thread;
    EXPECT_THAT(check(log).complaints, ElementsAre(HasSubstr("BEGIN_IDLE shows region 7, not 0")));
    log.threads[1].records.back().answers.region = 0;
    EXPECT_THAT(check(log).complaints, IsEmpty());
}

// A worker at its region's end: in the barrier until the master has joined, then idle.
Verdict at_the_end(std::uint64_t time, int state, std::uint64_t region) {
    Log log = with_worker(kRegion, 2 * kMs);
    Story worker(1);
    worker.thread = log.threads[1];
    worker.mark(3 * kMs, "END", THR_WORK_STATE, kRegion).sample(time, state, region);
    worker.mark(20 * kMs, "any", THR_WORK_STATE, kRegion);
    log.threads[1] = worker.thread;
    return check(log);
}

// Between its last barrier and its JOIN the master may have waited for a processor.
TEST(Checker, ARegionEndsBetweenItsLastBarrierAndItsJoin) {
    const auto judged = [](std::uint64_t time, std::uint64_t region_of_barrier) {
        Story master;
        master.mark(0, "any FORK END_IBAR? JOIN", THR_SERIAL_STATE, 0)
            .fork(kMs)
            .event(6 * kMs, OMP_EVENT_THR_END_IBAR, THR_IBAR_STATE, region_of_barrier)
            .join(10 * kMs);
        Story worker(1);
        worker.event(2 * kMs, OMP_EVENT_THR_END_IDLE, THR_IDLE_STATE, kRegion)
            .mark(3 * kMs, "END", THR_WORK_STATE, kRegion)
            .sample(time, THR_IDLE_STATE, 0)
            .mark(20 * kMs, "any", THR_WORK_STATE, kRegion);
        return check(log_of({master, worker})).samples;
    };
    EXPECT_EQ(judged(6 * kMs - 300 * kUs, kRegion), 1u);
    EXPECT_EQ(judged(6 * kMs - 299 * kUs, kRegion), 0u);
    EXPECT_EQ(judged(8 * kMs, kRegion), 0u);
    EXPECT_EQ(judged(10 * kMs + 299 * kUs, kRegion), 0u);
    EXPECT_EQ(judged(10 * kMs + 300 * kUs, kRegion), 1u);
    EXPECT_EQ(judged(8 * kMs, kRegion + 1), 1u); // another region's barrier
}

TEST(Checker, TheEndOfARegionIsABarrierAndThenIdle) {
    const std::uint64_t end = 10 * kMs;
    const auto is_right = [](const Verdict &verdict) {
        return verdict.samples == 1 && verdict.region_right == 1 &&
               verdict.states.begin()->second.inside_right == 1;
    };
    EXPECT_TRUE(is_right(at_the_end(5 * kMs, THR_IBAR_STATE, kRegion)));
    EXPECT_FALSE(is_right(at_the_end(5 * kMs, THR_IDLE_STATE, 0)));
    EXPECT_TRUE(is_right(at_the_end(15 * kMs, THR_IDLE_STATE, 0)));
    EXPECT_FALSE(is_right(at_the_end(15 * kMs, THR_IBAR_STATE, kRegion)));
    EXPECT_TRUE(is_right(at_the_end(end - 300 * kUs, THR_IBAR_STATE, kRegion)));
    EXPECT_EQ(at_the_end(end - 300 * kUs + 1, THR_IBAR_STATE, kRegion).samples, 0u);
    EXPECT_EQ(at_the_end(end, THR_IBAR_STATE, kRegion).samples, 0u);
    EXPECT_EQ(at_the_end(end + 300 * kUs - 1, THR_IDLE_STATE, 0).samples, 0u);
    EXPECT_TRUE(is_right(at_the_end(end + 300 * kUs, THR_IDLE_STATE, 0)));
    EXPECT_EQ(at_the_end(5 * kMs, THR_IBAR_STATE, kRegion).states.count("END"), 0u);
}

// What comes between its next region's first event and its next mark is that region's.
TEST(Checker, AWorkerIsIdleUntilItsNextRegion) {
    const auto judged_at = [](std::uint64_t time) {
        Story master;
        master.mark(0, "any *", THR_SERIAL_STATE, 0).fork(kMs).join(10 * kMs);
        master.fork(15 * kMs, kRegion + 1).join(30 * kMs, kRegion + 1);
        Story worker(1);
        worker.event(1, OMP_EVENT_THR_BEGIN_IDLE, THR_IDLE_STATE, 0)
            .event(2 * kMs, OMP_EVENT_THR_END_IDLE, THR_IDLE_STATE, kRegion)
            .mark(3 * kMs, "END BEGIN_IDLE END_IDLE?", THR_WORK_STATE, kRegion)
            .event(4 * kMs, OMP_EVENT_THR_BEGIN_IDLE, THR_IDLE_STATE, 0)
            .event(16 * kMs, OMP_EVENT_THR_END_IDLE, THR_IDLE_STATE, kRegion + 1)
            .sample(time, THR_IDLE_STATE, 0)
            .mark(25 * kMs, "any *", THR_WORK_STATE, kRegion + 1);
        return check(log_of({master, worker})).samples;
    };
    EXPECT_EQ(judged_at(16 * kMs - 300 * kUs), 1u);
    EXPECT_EQ(judged_at(16 * kMs - 300 * kUs + 1), 0u);
    EXPECT_EQ(judged_at(20 * kMs), 0u);
}

TEST(Checker, AWaitLastsUntilItsEnd) {
    const auto judged_at = [](std::uint64_t time) {
        Story story = barrier_up_to_join();
        story.sample(time, THR_IBAR_STATE, kRegion);
        return verdict_of(story).states["IBAR"].inside;
    };
    EXPECT_EQ(judged_at(5 * kMs), 1u);
    EXPECT_EQ(judged_at(10 * kMs - 300 * kUs), 1u);
    EXPECT_EQ(judged_at(10 * kMs - 300 * kUs + 1), 0u);
    EXPECT_EQ(verdict_of(barrier_up_to_join()).states["IBAR"].judged_ns, 9 * kMs - 600 * kUs);
}

TEST(Checker, BehindItsLastBarrierAMasterIsInTheRuntime) {
    const auto judged_at = [](std::uint64_t time, std::uint64_t region) {
        Story story = barrier_up_to_join();
        story.sample(time, THR_OVHD_STATE, region);
        return verdict_of(story);
    };
    const std::uint64_t first = 10 * kMs + 50 * kUs + 1;
    const std::uint64_t last = 20 * kMs - 50 * kUs - 1;
    for (const std::uint64_t time : {first, 15 * kMs, last}) {
        EXPECT_EQ(judged_at(time, kRegion).states["OVHD"].inside_right, 1u) << time;
        EXPECT_EQ(judged_at(time, kRegion).region_right, 1u);
        EXPECT_EQ(judged_at(time, 0).region_right, 1u);
        EXPECT_EQ(judged_at(time, 9).region_right, 0u);
    }
    EXPECT_EQ(judged_at(first - 1, kRegion).samples, 0u);
    EXPECT_EQ(judged_at(last + 1, kRegion).samples, 0u);
    Story inner;
    inner.mark(0, "any FORK FORK", THR_SERIAL_STATE, 0)
        .fork(1, 6)
        .fork(2, kRegion, 6)
        .mark(kMs, "IBAR BEGIN_IBAR END_IBAR JOIN", THR_WORK_STATE, kRegion)
        .event(kMs + 1, OMP_EVENT_THR_BEGIN_IBAR, THR_IBAR_STATE, kRegion)
        .event(10 * kMs, OMP_EVENT_THR_END_IBAR, THR_IBAR_STATE, kRegion)
        .join(20 * kMs, kRegion, 6)
        .sample(15 * kMs, THR_OVHD_STATE, 6);
    EXPECT_EQ(verdict_of(inner).region_right, 1u);
}

TEST(Checker, TheLastPhaseEndsWithTheLastRecord) {
    const auto judged_at = [](std::uint64_t time) {
        Story story = work_in_region();
        story.event(5 * kMs, OMP_EVENT_THR_BEGIN_MASTER, THR_WORK_STATE, kRegion)
            .sample(time, THR_WORK_STATE, kRegion);
        return verdict_of(story).samples;
    };
    EXPECT_EQ(judged_at(5 * kMs - 300 * kUs), 1u);
    EXPECT_EQ(judged_at(5 * kMs - 300 * kUs + 1), 0u);
}

TEST(Checker, APhaseShorterThanItsLimitsIsNotJudged) {
    const auto judged_ns = [](std::uint64_t length) {
        Story story = work_in_region();
        end_of_region(story, kMs + length);
        return verdict_of(story).states["WORK"].judged_ns;
    };
    EXPECT_EQ(judged_ns(600 * kUs), 0u);
    EXPECT_EQ(judged_ns(600 * kUs - 1), 0u);
    EXPECT_EQ(judged_ns(600 * kUs + 1), 1u);
    EXPECT_EQ(judged_ns(700 * kUs), 100 * kUs);
}

// Ids begin with 1.
TEST(Checker, TheFirstRegionIsARegion) {
    Log log = with_worker(1, 2 * kMs);
    log.threads[0].records[1].answers.region = 1;
    log.threads[0].records[2].answers.region = 1;
    EXPECT_THAT(check(log).complaints, IsEmpty());
    Story worker(1);
    worker.thread = log.threads[1];
    worker.mark(3 * kMs, "any", THR_WORK_STATE, 1);
    log.threads[1] = worker.thread;
    EXPECT_THAT(check(log).complaints, IsEmpty());
}

TEST(Checker, SummaryNamesTheWorstState) {
    Verdict one;
    one.states["IBAR"] = {0, 1, 0, 0};
    EXPECT_EQ(one.summary(), "0.0 % IBAR");
    Verdict verdict;
    verdict.states["IBAR"] = {0, 100, 98, 0};
    verdict.states["WORK"] = {0, 100, 97, 0};
    verdict.states["LKWT"] = {0, 0, 0, 5};
    EXPECT_EQ(verdict.summary(), "97.0 % WORK");
}

} // namespace
} // namespace ocb_test
