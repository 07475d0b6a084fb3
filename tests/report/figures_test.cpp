// SPDX-License-Identifier: Apache-2.0
//
// The figures of hand-made profiles, computed here by hand too.
#include "blame.h"
#include "figures.h"
#include "made_runs.h"

#include <gtest/gtest.h>

namespace ocb_test {
namespace {

constexpr double kNear = 1e-9;

TEST(Figures, SerialTimeIsAllThatIsLost) {
    const Efficiency all = figures_of(made_serial_part()).efficiency;
    EXPECT_NEAR(all.serial, 3, kNear);
    EXPECT_NEAR(all.serialisation, (16.0 - 9) / 16, kNear);
    EXPECT_NEAR(all.load_balance, 1, kNear);
    EXPECT_NEAR(all.scheduling, 1, kNear);
    EXPECT_NEAR(all.parallel, 7.0 / 16, kNear);
}

TEST(Figures, ImbalanceIsAllThatIsLost) {
    const Figures figures = figures_of(made_imbalance());
    const Efficiency &all = figures.efficiency;
    EXPECT_NEAR(all.serialisation, 1, kNear);
    EXPECT_NEAR(all.load_balance, 3.5 / 8, kNear);
    EXPECT_NEAR(all.scheduling, 1, kNear);
    ASSERT_EQ(figures.regions.size(), 1U);
    const RegionFigures &region = figures.regions[0];
    EXPECT_EQ(region.team, 4U);
    EXPECT_NEAR(region.gain, 4.5 / 4, kNear);
    EXPECT_EQ(region.gain_samples, 450U);
    EXPECT_NEAR(region.elapsed, 2, kNear);
    EXPECT_NEAR(region.mean_length, 0.2, kNear);
    EXPECT_NEAR(region.work_min, 0.5, kNear);
    EXPECT_NEAR(region.work_mean, 3.5 / 4, kNear);
    EXPECT_NEAR(region.work_max, 2, kNear);
}

TEST(Figures, WhatAllLoseIsScheduling) {
    const Efficiency all = figures_of(made_task_flood()).efficiency;
    EXPECT_NEAR(all.serialisation, 1, kNear);
    EXPECT_NEAR(all.load_balance, 1, kNear);
    EXPECT_NEAR(all.scheduling, 0.2, kNear);
}

TEST(Figures, EfficienciesMultiply) {
    for (const Process &process : {made_tiny_regions(), made_triangle(), made_contended_critical(),
                                   made_nested_oversubscription(), made_with_samples()}) {
        const Efficiency all = figures_of(process).efficiency;
        EXPECT_NEAR(all.parallel, all.serialisation * all.load_balance * all.scheduling, kNear);
        for (const double part : {all.serialisation, all.load_balance, all.scheduling}) {
            EXPECT_GE(part, 0);
            EXPECT_LE(part, 1 + kNear);
        }
    }
}

TEST(Figures, ThreadsThatTookNoPartAreImbalance) {
    MadeProcess made(4, 1);
    const int region = made.region("two_of_four", 1, 1);
    for (unsigned i = 0; i < 4; ++i) {
        made.time(i, region, i < 2 ? THR_WORK_STATE : THR_IDLE_STATE, 1);
    }
    const Efficiency all = figures_of(made.process).efficiency;
    EXPECT_NEAR(all.load_balance, 0.5, kNear);
    EXPECT_NEAR(all.parallel, 0.5, kNear);
}

// A thread that only waits for the one that runs the regions is not serial time.
TEST(Figures, RegionsOfAnotherThreadThanTheInitialOne) {
    MadeProcess made(3, 2);
    const int region = made.region("elsewhere", 1, 1);
    made.time(0, kOutside, THR_SERIAL_STATE, 2, 0);
    made.time(1, region, THR_WORK_STATE, 2);
    made.time(2, region, THR_WORK_STATE, 2);
    EXPECT_NEAR(figures_of(made.process).efficiency.serial, 0, kNear);
}

TEST(Figures, ATeamInsideATeamIsCountedOnce) {
    const Figures figures = figures_of(made_nested_oversubscription());
    ASSERT_EQ(figures.regions.size(), 2U);
    EXPECT_EQ(figures.regions[0].node, 1);
    EXPECT_EQ(figures.regions[0].team, 4U);
    EXPECT_EQ(figures.regions[0].threads, 16U);
    // 16 threads x about 4 s, 40 entries of a team of 4.
    EXPECT_NEAR(figures.regions[0].mean_length, (16 * 3.8 + 12 * 0.2) / 4 / 40, kNear);
}

TEST(Figures, NothingAtAllIsNoDivisionByZero) {
    const Efficiency all = figures_of(Process{}).efficiency;
    EXPECT_EQ(all.parallel, 1);
    EXPECT_EQ(all.serial, 0);
}

TEST(Blame, FallsOnTheCodeThatOthersWaitFor) {
    const Process process = made_with_samples();
    const std::vector<Blame> blames = blame_of(process);
    ASSERT_EQ(blames.size(), 2U);
    EXPECT_EQ(node_name(process.nodes[static_cast<size_t>(blames[0].node)]), "slow");
    EXPECT_NEAR(blames[0].seconds, 1, kNear);
    EXPECT_EQ(node_name(process.nodes[static_cast<size_t>(blames[1].node)]), "setup");
    EXPECT_NEAR(blames[1].seconds, 0.5, kNear);
}

// What libc does for a function is that function's; two call paths to it are one.
TEST(Blame, IsOfTheProgramsFunctions) {
    MadeProcess made(2, 1);
    const int region = made.region("r", 1, 1);
    const int work = made.function("work", 2, region);
    const int in_libc = made.function("memcpy", 3, work);
    const int other_path = made.function("work", 2, made.function("caller", 4, region));
    made.process.nodes[static_cast<size_t>(in_libc)].module = "/lib/x86_64-linux-gnu/libc.so.6";
    for (const int node : {in_libc, other_path}) {
        const double time = node == in_libc ? 0.005 : 0.105;
        made.process.samples.push_back({time, 0, node, THR_WORK_STATE});
        made.process.samples.push_back({time, 1, region, THR_IBAR_STATE});
    }
    const std::vector<Blame> blames = blame_of(made.process);
    ASSERT_EQ(blames.size(), 1U);
    EXPECT_EQ(blames[0].node, work);
    EXPECT_EQ(blames[0].samples, 2U);
}

TEST(Blame, IsSharedByThoseWhoWork) {
    MadeProcess made(4, 1);
    const int region = made.region("r", 1, 1);
    const int first = made.function("first", 2, region);
    const int second = made.function("second", 3, region);
    for (unsigned thread = 0; thread < 4; ++thread) {
        made.process.samples.push_back(
            {0.005, thread,
             thread == 0   ? first
             : thread == 1 ? second
                           : region,
             static_cast<unsigned>(thread < 2 ? THR_WORK_STATE : THR_EBAR_STATE)});
    }
    const std::vector<Blame> blames = blame_of(made.process);
    ASSERT_EQ(blames.size(), 2U);
    EXPECT_NEAR(blames[0].seconds, 0.01, kNear);
    EXPECT_NEAR(blames[1].seconds, 0.01, kNear);
}

TEST(Blame, NeedsSamplesWithTimes) {
    EXPECT_TRUE(blame_of(made_imbalance()).empty());
}

} // namespace
} // namespace ocb_test
