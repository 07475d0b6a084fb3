// SPDX-License-Identifier: Apache-2.0
//
// What the rules of losses.cpp ask of a region and of the processors that it had, question by
// question.
#include "region_shape.h"

#include "made_runs.h"

#include <gtest/gtest.h>

namespace ocb_test {
namespace {

// Of two threads that work so long.
RegionFigures region_of(const std::vector<double> &work) {
    RegionFigures to;
    to.team = static_cast<unsigned>(work.size());
    for (const double seconds : work) {
        to.work.push_back({static_cast<unsigned>(to.work.size()), seconds});
    }
    to.work_min = *std::min_element(work.begin(), work.end());
    to.work_max = *std::max_element(work.begin(), work.end());
    return to;
}

TEST(RegionShape, WaitsForProcessorsAreOwnByWhatTheKernelKnows) {
    Process process;
    process.waited_for_own = 1;
    process.waited_for_others = 3;
    EXPECT_EQ(own_part_of_waiting(process), 0.25);
    process.waited_for_own = process.waited_for_others = 0;
    EXPECT_EQ(own_part_of_waiting(process), 0);
    process.waited_for_own = kNotKnown; // then by the number of threads
    process.most_threads = 3;
    EXPECT_EQ(own_part_of_waiting(process), 0);
    process.processors = 3;
    EXPECT_EQ(own_part_of_waiting(process), 0);
    process.processors = 2;
    EXPECT_EQ(own_part_of_waiting(process), 1);
}

TEST(RegionShape, AMachineIsSharedFromMoreThanATwentiethOn) {
    Process process;
    process.cpu_seconds = 90;
    process.waited_for_own = 5;
    process.waited_for_others = 5;
    EXPECT_EQ(taken_by_others(process), 0.05);
    EXPECT_FALSE(is_shared(process));
    process.waited_for_own = 4;
    EXPECT_TRUE(is_shared(process));
}

TEST(RegionShape, ProcessorsOfAllThreadsCountOnce) {
    MadeProcess made(2, 1);
    made.process.threads[0].fewest_processors = {0, 1, 4, 4};
    made.process.threads[1].fewest_processors = {1, 2};
    EXPECT_EQ(bound_processors(made.process), 4U);
    made.process.threads[1].fewest_processors = {65535, 1000000000}; // no machine has so many
    EXPECT_EQ(bound_processors(made.process), 5U);
    made.process.threads[1].fewest_processors = {};
    EXPECT_EQ(bound_processors(made.process), 0U);
}

// Each kind of lost time counts, from more than a twentieth of the region's on, where there is
// somebody who could work.
TEST(RegionShape, TinyRegionsLoseATwentieth) {
    MadeProcess made(2, 10);
    RegionFigures region = region_of({0.005, 0.005});
    region.node = made.region("small", 7, 100);
    region.own = 10;
    region.work_mean = 0.005;
    EXPECT_FALSE(is_tiny(made.process, region));
    for (double ThreadWork::*part :
         {&ThreadWork::waited, &ThreadWork::idle, &ThreadWork::runtime, &ThreadWork::for_tasks}) {
        region.work[1].*part = 0.5;
        EXPECT_FALSE(is_tiny(made.process, region));
        region.work[1].*part = 0.51;
        EXPECT_TRUE(is_tiny(made.process, region));
        region.work_mean = 0.01; // 100 us in each entry
        EXPECT_FALSE(is_tiny(made.process, region));
        region.work_mean = 0.005;
        region.team = 1;
        EXPECT_FALSE(is_tiny(made.process, region));
        region.idle_outside = 0.01;
        EXPECT_TRUE(is_tiny(made.process, region));
        region.idle_outside = 0;
        region.team = 2;
        region.work[1].*part = 0;
    }
    region.idle_outside = 0.51;
    EXPECT_TRUE(is_tiny(made.process, region));
}

TEST(RegionShape, WhoWorksMostCreatesTasks) {
    RegionFigures region = region_of({2, 2});
    region.single_seconds = 0.5;
    region.work[0].runtime = 0.9; // the first of two that work the same
    EXPECT_TRUE(is_busy_with_tasks(region));
    region.single_seconds = 0;
    EXPECT_FALSE(is_busy_with_tasks(region));
    region.single_seconds = 0.5;
    std::swap(region.work[0].runtime, region.work[1].runtime);
    EXPECT_FALSE(is_busy_with_tasks(region));
    region = region_of({0, 0});
    region.single_seconds = 0.5;
    EXPECT_FALSE(is_busy_with_tasks(region)) << "nobody is in the runtime";
    region.work.clear();
    EXPECT_FALSE(is_busy_with_tasks(region));
}

TEST(RegionShape, WaitsForTasksAreATenthOfTheWork) {
    RegionFigures region = region_of({4, 6});
    region.work[1].for_tasks = 1;
    EXPECT_FALSE(waits_for_tasks(region));
    region.work[0].for_tasks = 0.1;
    EXPECT_TRUE(waits_for_tasks(region));
}

// Each step is more than a quarter of the mean one.
TEST(RegionShape, WorkIsGradedByEachOfItsSteps) {
    EXPECT_FALSE(is_graded(region_of({1, 2})));
    for (const auto &[second, is] : {std::pair{0.9, false}, {1.0, false}, {1.1, true}}) {
        EXPECT_EQ(is_graded(region_of({0, second, 8})), is) << second; // mean step: 4
        EXPECT_EQ(is_graded(region_of({8, second, 0})), is) << second;
        EXPECT_EQ(is_graded(region_of({2, 2 + second, 10})), is) << second;
    }
    EXPECT_FALSE(is_graded(region_of({0, 4, 8, 6})));
    EXPECT_FALSE(is_graded(region_of({8, 4, 0, 2})));
    EXPECT_FALSE(is_graded(region_of({4, 0, 8})));
    EXPECT_TRUE(is_graded(region_of({0, 1, 2, 3})));
}

TEST(RegionShape, WhatIsExecutedIsAllButWaitingForOthers) {
    RegionFigures region;
    region.times.wall[0] = 1; // the state was not known
    region.times.wall[THR_WORK_STATE] = 2;
    region.times.wall[THR_OVHD_STATE] = 4;
    region.times.wall[THR_IBAR_STATE] = region.times.wall[THR_IDLE_STATE] = 100;
    EXPECT_EQ(executed(region), 7);
}

// Of two that come last at the same time the first: what it has in MPI is waited for.
TEST(RegionShape, WaitsForMpiAreForWhoComesLast) {
    RegionFigures region = region_of({2, 4, 1});
    region.work[0].in_mpi = 2;
    EXPECT_NEAR(waits_by_mpi(region), (4.0 - 1 - 1) / 3, 1e-12);
}

TEST(RegionShape, WaitsAreForSleepThenForQueuesThenForTheRuntime) {
    RegionFigures region = region_of({10, 10});
    region.work_mean = 8; // 2 s are waited for work
    region.work[0].asleep = 2;
    region.work[0].queued = 3;
    region.work[0].runtime = 100;
    ExplainedWaits waits = explained_waits(region, 7);
    EXPECT_EQ(waits.for_sleep, 1);
    EXPECT_EQ(waits.for_queues, 1.5);
    EXPECT_EQ(waits.for_runtime, 7 - 2 - 1 - 1.5);
    region.work[0].runtime = 3;
    EXPECT_EQ(explained_waits(region, 7).for_runtime, 1.5);
    waits = explained_waits(region, 2);
    EXPECT_EQ(waits.for_sleep + waits.for_queues + waits.for_runtime, 0);
    waits = explained_waits(region, 1); // less than the work explains
    EXPECT_EQ(waits.for_sleep + waits.for_queues + waits.for_runtime, 0);
}

} // namespace
} // namespace ocb_test
