// SPDX-License-Identifier: Apache-2.0
//
// The figures of hand-made profiles, computed here by hand too.
#include "blame.h"
#include "made_runs.h"
#include "region_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ocb_test {
namespace {

constexpr double kRounding = 1e-9;

TEST(Figures, SerialTimeIsAllThatIsLost) {
    const Efficiency all = figures_of(made_serial_part()).efficiency;
    EXPECT_NEAR(all.serial, 3, kRounding);
    EXPECT_NEAR(all.serialisation, (16.0 - 9) / 16, kRounding);
    EXPECT_NEAR(all.load_balance, 1, kRounding);
    EXPECT_NEAR(all.scheduling, 1, kRounding);
    EXPECT_NEAR(all.parallel, 7.0 / 16, kRounding);
}

// The clock of processors knows what they did outside of regions, and not what else that time was.
TEST(Figures, SerialTimeIsThatOfProcessorsWhereNothingElseWasMeasured) {
    MadeProcess made(2, 10);
    made.process.has_wall_times = false;
    made.time(0, kOutside, THR_SERIAL_STATE, 1);
    made.time(0, kOutside, THR_OVHD_STATE, 0.5);
    made.time(1, kOutside, THR_IDLE_STATE, 3);
    const int region = made.region("loop", 7, 1);
    made.time(0, region, THR_WORK_STATE, 4);
    made.time(1, region, THR_WORK_STATE, 4);
    EXPECT_NEAR(figures_of(made.process).efficiency.serial, 1.5, 1e-9);
    made.process.seconds = 5; // no more than the rest
    EXPECT_NEAR(figures_of(made.process).efficiency.serial, 1, 1e-9);
}

TEST(Figures, ImbalanceIsAllThatIsLost) {
    const Figures figures = figures_of(made_imbalance());
    const Efficiency &all = figures.efficiency;
    EXPECT_NEAR(all.serialisation, 1, kRounding);
    EXPECT_NEAR(all.load_balance, 3.5 / 8, kRounding);
    EXPECT_NEAR(all.scheduling, 1, kRounding);
    ASSERT_EQ(figures.regions.size(), 1U);
    const RegionFigures &region = figures.regions[0];
    EXPECT_EQ(region.team, 4U);
    EXPECT_NEAR(region.gain, 4.5 / 4, kRounding);
    EXPECT_EQ(region.gain_samples, 450U);
    EXPECT_NEAR(region.elapsed, 2, kRounding);
    EXPECT_NEAR(region.mean_length, 0.2, kRounding);
    EXPECT_NEAR(region.work_min, 0.5, kRounding);
    EXPECT_NEAR(region.work_mean, 3.5 / 4, kRounding);
    EXPECT_NEAR(region.work_max, 2, kRounding);
}

TEST(Figures, WhatAllLoseIsScheduling) {
    const Efficiency all = figures_of(made_task_flood()).efficiency;
    EXPECT_NEAR(all.serialisation, 1, kRounding);
    EXPECT_NEAR(all.load_balance, 1, kRounding);
    EXPECT_NEAR(all.scheduling, 0.2, kRounding);
}

// Two standard deviations by the samples of what is lost. What was measured has none.
TEST(Figures, TheEfficiencyHasAnError) {
    Process process = made_task_flood();
    const auto compare = [&] {
        const Figures figures = figures_of(process);
        double lost = 0;
        double samples = 0;
        for (const Loss &loss : figures.losses) {
            lost += loss.is_measured ? 0 : loss.seconds / figures.efficiency.elapsed;
            samples += loss.is_measured ? 0 : static_cast<double>(loss.samples);
        }
        EXPECT_GT(samples, 0);
        EXPECT_NEAR(figures.efficiency.error, 2 * lost / std::sqrt(samples), kRounding);
        return figures.losses;
    };
    const std::vector<Loss> sampled = compare();
    process.cells.push_back({0, kOutside, THR_SERIAL_STATE, 2, 2, 0}); // before the first use
    process.seconds += 2;
    const std::vector<Loss> both = compare();
    EXPECT_EQ(both.size(), sampled.size() + 1);
    EXPECT_TRUE(
        std::any_of(both.begin(), both.end(), [](const Loss &at) { return at.is_measured; }));
    EXPECT_LT(figures_of(made_healthy()).efficiency.error, 0.01);
}

TEST(Figures, EfficienciesMultiply) {
    for (const Process &process : {made_tiny_regions(), made_triangle(), made_contended_critical(),
                                   made_nested_oversubscription(), made_with_samples()}) {
        const Efficiency all = figures_of(process).efficiency;
        EXPECT_NEAR(all.parallel, all.serialisation * all.load_balance * all.scheduling, kRounding);
        for (const double part : {all.serialisation, all.load_balance, all.scheduling}) {
            EXPECT_GE(part, 0);
            EXPECT_LE(part, 1 + kRounding);
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
    EXPECT_NEAR(all.load_balance, 0.5, kRounding);
    EXPECT_NEAR(all.parallel, 0.5, kRounding);
}

// A thread that only waits for the one that runs the regions is not serial time.
TEST(Figures, RegionsOfAnotherThreadThanTheInitialOne) {
    MadeProcess made(3, 2);
    const int region = made.region("elsewhere", 1, 1);
    made.time(0, kOutside, THR_SERIAL_STATE, 2, 0);
    made.time(1, region, THR_WORK_STATE, 2);
    made.time(2, region, THR_WORK_STATE, 2);
    EXPECT_NEAR(figures_of(made.process).efficiency.serial, 0, kRounding);
}

TEST(Figures, ATeamInsideATeamIsCountedOnce) {
    const Figures figures = figures_of(made_nested_oversubscription());
    ASSERT_EQ(figures.regions.size(), 2U);
    EXPECT_EQ(figures.regions[0].node, 1);
    EXPECT_EQ(figures.regions[0].team, 4U);
    EXPECT_EQ(figures.regions[0].threads, 16U);
    // 16 threads x about 4 s, 40 entries of a team of 4.
    EXPECT_NEAR(figures.regions[0].mean_length, (16 * 3.8 + 12 * 0.2) / 4 / 40, kRounding);
}

TEST(Figures, NothingAtAllIsNoDivisionByZero) {
    const Efficiency all = figures_of(Process{}).efficiency;
    EXPECT_EQ(all.parallel, 1);
    EXPECT_EQ(all.serial, 0);
}

// Times of threads in a run that lasted no time: there is no share of it.
TEST(Figures, OfNoElapsedTimeThereAreNone) {
    Process process = made_imbalance();
    process.seconds = 0;
    process.cells[0].cpu = 1; // of 2 s
    const Efficiency all = figures_of(process).efficiency;
    EXPECT_EQ(all.parallel, 1);
    EXPECT_EQ(all.load_balance, 1);
    EXPECT_EQ(all.on_processor, 1);
}

// More is lost than there was: nothing is left, and nothing more can be lost of that.
TEST(Figures, OfAClockThatJumpedAreNotBeyondTheirRange) {
    Process process = made_imbalance();
    process.seconds = 0.001;
    const Efficiency all = figures_of(process).efficiency;
    EXPECT_EQ(all.load_balance, 0);
    EXPECT_EQ(all.scheduling, 1);
    EXPECT_EQ(all.parallel, 0);
}

// Of 3 s of work whose processor time is known it is 1.5 s.
TEST(Figures, ProcessorsAreSharedByWhatIsKnown) {
    MadeProcess made(2, 4);
    const int region = made.region("r", 1, 1);
    made.time(0, region, THR_WORK_STATE, 3, 1.5);
    made.time(1, region, THR_WORK_STATE, 2);
    made.process.cells.back().cpu = kNotKnown;
    const Figures figures = figures_of(made.process);
    EXPECT_NEAR(figures.efficiency.on_processor, 0.5, kRounding);
    EXPECT_NEAR(figures.regions.at(0).times.cpu[THR_WORK_STATE], 1.5, kRounding);
}

// The processor's clock is finer than the other one.
TEST(Figures, NoThreadHasMoreThanAProcessor) {
    MadeProcess made(1, 4);
    made.time(0, made.region("r", 1, 1), THR_WORK_STATE, 3, 3.1);
    EXPECT_EQ(figures_of(made.process).efficiency.on_processor, 1);
}

TEST(Figures, RegionsOfTheSameTimeStayInTheirOrder) {
    MadeProcess made(1, 4);
    const int first = made.region("first", 1, 1);
    const int second = made.region("second", 2, 1);
    for (const int region : {second, first}) {
        made.time(0, region, THR_WORK_STATE, 2);
    }
    const Figures figures = figures_of(made.process);
    ASSERT_EQ(figures.regions.size(), 2U);
    EXPECT_EQ(figures.regions[0].node, second); // as they are met
    EXPECT_EQ(figures.regions[1].node, first);
}

TEST(Figures, LengthIsThatOfOneEntry) {
    EXPECT_NEAR(figures_of(made_contended_critical()).regions.at(0).mean_length, 4, kRounding);
    MadeProcess made(1, 4);
    made.time(0, made.region("never seen to begin", 1, 0), THR_WORK_STATE, 2);
    made.time(0, kUnknown, THR_WORK_STATE, 1);
    for (const RegionFigures &region : figures_of(made.process).regions) {
        EXPECT_EQ(region.mean_length, 0);
    }
}

// `threads` of the run are at work in one region: forked by so many masters, with so many threads
// at the same time at most; 0 is not known.
unsigned team_of_one(unsigned threads, unsigned masters, unsigned most) {
    MadeProcess made(threads, 1);
    const int region = made.region("r", 1, 1);
    made.process.nodes.back().masters = masters;
    made.process.most_threads = most;
    for (unsigned i = 0; i < threads; ++i) {
        made.time(i, region, THR_WORK_STATE, 1);
    }
    return figures_of(made.process).regions.at(0).team;
}

TEST(Figures, ATeamIsItsThreadsByItsMasters) {
    EXPECT_EQ(team_of_one(4, 0, 4), 4U); // who is not inside a region is the only master
    EXPECT_EQ(team_of_one(4, 1, 4), 4U);
    EXPECT_EQ(team_of_one(4, 2, 4), 2U);
    EXPECT_EQ(team_of_one(6, 4, 6), 2U); // 1.5
    EXPECT_EQ(team_of_one(5, 4, 5), 1U); // 1.25
    EXPECT_EQ(team_of_one(2, 4, 2), 1U);
    EXPECT_EQ(team_of_one(4, 0, 0), 4U);
    // Threads that came one after the other.
    EXPECT_EQ(team_of_one(4, 0, 2), 2U);
    EXPECT_EQ(team_of_one(4, 0, 1), 1U);
}

// A program's own threads that come one after the other fork one team at a time.
TEST(Figures, MastersAreCountedWhileTheyAreThere) {
    MadeProcess made(4, 8);
    const int region = made.region("r", 1, 1);
    const auto masters_of = [&](const std::vector<std::pair<double, double>> &lives) {
        made.process.forkers.clear();
        for (unsigned i = 0; i < lives.size(); ++i) {
            made.process.threads[i].begin = lives[i].first;
            made.process.threads[i].end = lives[i].second;
            made.process.forkers.insert(made.process.forkers.end(), 2, {region, i});
        }
        count_masters(made.process);
        return made.process.nodes.back().masters;
    };
    EXPECT_EQ(masters_of({{0, 8}}), 1U);
    EXPECT_EQ(masters_of({{0, 1}, {2, 3}, {4, 5}, {6, 7}}), 1U);
    EXPECT_EQ(masters_of({{0, 2}, {2, 4}, {5, 6}}), 2U);
    EXPECT_EQ(masters_of({{0, 8}, {1, 3}, {2, 5}, {4, 6}}), 3U);
}

// Teams of `inside` threads together, in a region of `outside` threads; who forked is not known.
unsigned team_inside(unsigned outside, unsigned inside) {
    MadeProcess made(std::max(outside, inside), 2);
    const int outer = made.region("outer", 1, 1);
    const int inner = made.region("inner", 2, 1, outer);
    for (unsigned i = 0; i < outside; ++i) {
        made.time(i, outer, THR_WORK_STATE, 0.5);
    }
    for (unsigned i = 0; i < inside; ++i) {
        made.time(i, inner, THR_WORK_STATE, 1);
    }
    for (const RegionFigures &region : figures_of(made.process).regions) {
        if (region.node == inner) {
            return region.team;
        }
    }
    return 0;
}

// Each thread around it may have forked, and a team has two threads at least.
TEST(Figures, OfUnknownMastersThereAreAsManyAsThereCanBe) {
    EXPECT_EQ(team_inside(4, 8), 2U);
    EXPECT_EQ(team_inside(2, 8), 4U);
    EXPECT_EQ(team_inside(8, 4), 2U);
    EXPECT_EQ(team_inside(8, 5), 2U);
    EXPECT_EQ(team_inside(1, 4), 4U);
    EXPECT_EQ(team_inside(1, 2), 2U);
}

// Idle threads are none of the team's; of a region without time of its own those inside it count.
TEST(Figures, ATeamIsWhoIsAtWorkInIt) {
    MadeProcess made(6, 1);
    made.process.most_threads = 8;
    const int outer = made.region("outer", 1, 1);
    const int inner = made.region("inner", 2, 1, outer);
    const int other = made.region("other", 3, 1);
    made.region("never", 4, 0);
    for (unsigned i = 0; i < 4; ++i) {
        made.time(i, inner, THR_WORK_STATE, 1);
        made.time(i, other, i < 2 ? THR_WORK_STATE : THR_IDLE_STATE, 1);
    }
    for (const RegionFigures &region : figures_of(made.process).regions) {
        const unsigned expected = region.node == outer ? 4 : region.node == other ? 2 : 1;
        if (region.node != inner) {
            EXPECT_EQ(region.team, expected) << region.node;
        }
    }
}

// As many masters as threads, so that teams of one would be it: but alone nobody waits.
unsigned team_that_waits(unsigned state, double work, double waited, unsigned masters) {
    MadeProcess made(2 * masters, work + waited);
    const int region = made.region("r", 1, 1);
    made.process.nodes.back().masters = masters == 2 ? 2 : 2 * masters;
    for (unsigned i = 0; i < 2 * masters; ++i) {
        made.time(i, region, THR_WORK_STATE, work);
        made.time(i, region, state, waited);
    }
    return figures_of(made.process).regions.at(0).team;
}

TEST(Figures, ATeamOfOneDoesNotWait) {
    for (const unsigned barrier : {THR_IBAR_STATE, THR_EBAR_STATE}) {
        EXPECT_EQ(team_that_waits(barrier, 9, 1, 1), 2U);
        EXPECT_EQ(team_that_waits(barrier, 9.48, 0.52, 1), 2U);
        EXPECT_EQ(team_that_waits(barrier, 9.5, 0.5, 1), 1U); // a twentieth may be anything
        EXPECT_EQ(team_that_waits(barrier, 9.9, 0.1, 1), 1U);
        EXPECT_EQ(team_that_waits(barrier, 9, 1, 2), 2U); // four threads, two masters: teams of two
    }
    EXPECT_EQ(team_that_waits(THR_CTWT_STATE, 9, 1, 1), 1U);
}

TEST(Blame, FallsOnTheCodeThatOthersWaitFor) {
    const Process process = made_with_samples();
    const std::vector<Blame> blames = blame_of(process);
    ASSERT_EQ(blames.size(), 2U);
    EXPECT_EQ(node_name(process.nodes[static_cast<size_t>(blames[0].node)]), "slow");
    EXPECT_NEAR(blames[0].seconds, 1, kRounding);
    EXPECT_EQ(node_name(process.nodes[static_cast<size_t>(blames[1].node)]), "setup");
    EXPECT_NEAR(blames[1].seconds, 0.5, kRounding);
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
    MadeProcess made(5, 1); // who queues neither works nor waits for them
    const int region = made.region("r", 1, 1);
    const int first = made.function("first", 2, region);
    const int second = made.function("second", 3, region);
    made.process.samples.push_back({0.005, 4, region, THR_CTWT_STATE});
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
    EXPECT_NEAR(blames[0].seconds, 0.01, kRounding);
    EXPECT_EQ(blames[0].node, first); // of the same time the first
    EXPECT_NEAR(blames[1].seconds, 0.01, kRounding);
}

TEST(Blame, NeedsSamplesWithTimes) {
    EXPECT_TRUE(blame_of(made_imbalance()).empty());
    Process process = made_with_samples();
    process.rate = 0;
    EXPECT_TRUE(blame_of(process).empty());
}

} // namespace
} // namespace ocb_test
