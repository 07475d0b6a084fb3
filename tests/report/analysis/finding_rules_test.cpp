// SPDX-License-Identifier: Apache-2.0
//
// How findings are made of losses: the losses are given here, so that each rule is seen by itself.
#include "findings.h"
#include "made_runs.h"

#include <gtest/gtest.h>

namespace ocb_test {
namespace {

constexpr double kNearly = 1e-9;

struct GivenLoss {
    Cause cause;
    int node;
    double seconds;
    uint64_t samples;
    bool is_measured = false;
};

// Of four threads in three regions.
std::vector<Finding> found(double elapsed, const std::vector<GivenLoss> &losses) {
    MadeProcess made(4, elapsed);
    for (int line = 0; line < 3; ++line) {
        made.region("r" + std::to_string(line), line, 1);
    }
    Figures figures;
    figures.efficiency.elapsed = elapsed;
    figures.efficiency.threads = 4;
    for (int node = 0; node < 3; ++node) {
        RegionFigures &region = figures.regions.emplace_back();
        region.node = node;
        region.team = 4;
        region.own = elapsed;
        for (unsigned thread = 0; thread < 4; ++thread) {
            region.work.push_back({thread, 1.0 + thread, 0.5 * thread, 0.25});
        }
    }
    figures.regions.emplace_back(figures.regions.back()).node = kUnknown;
    for (const GivenLoss &each : losses) {
        figures.losses.push_back({each.cause, each.node, each.seconds, 4 * each.seconds,
                                  each.samples, each.is_measured});
    }
    return findings_of(made.process, figures);
}

TEST(Findings, NameTheKindOfUnevenWorkThatCostsMost) {
    const std::vector<Finding> most =
        found(10, {{Cause::kImbalance, 0, 1, 100}, {Cause::kGradedImbalance, 1, 1.5, 100}});
    ASSERT_EQ(most.size(), 1U);
    EXPECT_EQ(most[0].cause, Cause::kGradedImbalance);
    EXPECT_NEAR(most[0].seconds, 2.5, kNearly);
    EXPECT_EQ(most[0].samples, 200U);
    const std::vector<Finding> same =
        found(10, {{Cause::kGradedImbalance, 1, 1, 100}, {Cause::kImbalance, 0, 1, 100}});
    ASSERT_EQ(same.size(), 1U);
    EXPECT_EQ(same[0].cause, Cause::kImbalance); // the plainer one
}

TEST(Findings, AreMeasuredWhereMoreThanHalfOfThemIs) {
    for (const auto &[measured, is_measured] : {std::pair{0.9, false}, {1.0, false}, {1.1, true}}) {
        const std::vector<Finding> findings =
            found(10, {{Cause::kSerial, kOutside, measured, 100, true},
                       {Cause::kSerial, 0, 2 - measured, 100}});
        ASSERT_EQ(findings.size(), 1U);
        EXPECT_EQ(findings[0].is_measured, is_measured) << measured;
    }
}

TEST(Findings, HaveTheirDearestPlacesFirst) {
    const std::vector<Finding> findings = found(
        10,
        {{Cause::kCritical, 2, 1, 50}, {Cause::kCritical, 0, 1, 60}, {Cause::kCritical, 1, 2, 70}});
    ASSERT_EQ(findings.size(), 1U);
    ASSERT_EQ(findings[0].places.size(), 3U);
    EXPECT_EQ(findings[0].places[0].node, 1);
    EXPECT_EQ(findings[0].places[1].node, 0); // of the same price in the order of the tree
    EXPECT_EQ(findings[0].places[2].node, 2);
    EXPECT_NEAR(findings[0].places[0].share, 0.2, kNearly);
    EXPECT_EQ(findings[0].places[0].samples, 70U);
    EXPECT_EQ(findings[0].node, 1);
}

// Two standard deviations of a count of samples, of which the share is made.
TEST(Findings, HaveTheErrorOfTheirSamples) {
    const std::vector<Finding> findings = found(10, {{Cause::kCritical, 0, 2, 100}});
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_NEAR(findings[0].share, 0.2, kNearly);
    EXPECT_NEAR(findings[0].least_share, 0.16, kNearly);
    EXPECT_NEAR(findings[0].most_share, 0.24, kNearly);
    // What is shown whatever its samples are: from none a share is as uncertain as from one.
    for (const uint64_t samples : {0UL, 1UL}) {
        const std::vector<Finding> few = found(10, {{Cause::kOversubscription, 0, 1, samples}});
        ASSERT_EQ(few.size(), 1U);
        EXPECT_NEAR(few[0].least_share, 0, kNearly);
        EXPECT_NEAR(few[0].most_share, 0.3, kNearly);
    }
}

TEST(Findings, AreWorthItFromAHundredthAndTenSamplesOn) {
    const auto beside = [](double seconds, uint64_t samples, bool is_measured) {
        const std::vector<Finding> findings =
            found(100, {{Cause::kCritical, 0, 10, 1000},
                        {Cause::kOrdered, 1, seconds, samples, is_measured}});
        return findings.size() == 2;
    };
    EXPECT_TRUE(beside(1, 10, false));
    EXPECT_FALSE(beside(1, 9, false));
    EXPECT_TRUE(beside(1, 9, true));
    EXPECT_FALSE(beside(0.99, 1000, false));
    EXPECT_FALSE(beside(0.99, 1000, true));
}

TEST(Findings, BeginAtATwentiethOfTheTime) {
    EXPECT_EQ(found(100, {{Cause::kCritical, 0, 5, 1000}}).size(), 1U);
    EXPECT_TRUE(found(100, {{Cause::kCritical, 0, 4.99, 1000}}).empty());
    // Too many threads are the cause of all else, whatever they cost, if that can be shown at all.
    EXPECT_EQ(found(100, {{Cause::kOversubscription, 0, 0.06, 1}}).size(), 1U);
    EXPECT_TRUE(found(100, {{Cause::kOversubscription, 0, 0.04, 1}}).empty());
    EXPECT_TRUE(found(100, {{Cause::kOversubscription, 0, 0, 1}}).empty());
    const std::vector<Finding> both =
        found(100, {{Cause::kCritical, 0, 50, 5000}, {Cause::kOneProcessor, 1, 0.06, 1}});
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[0].cause, Cause::kOneProcessor);
}

TEST(Findings, NeedElapsedTime) {
    EXPECT_TRUE(found(0, {{Cause::kOversubscription, 0, 1, 100}}).empty());
    EXPECT_EQ(found(0.5, {{Cause::kCritical, 0, 0.25, 25}}).size(), 1U);
    Figures figures;
    figures.losses.push_back({Cause::kCritical, 0, 0.25, 1, 25, false});
    EXPECT_EQ(lost_share(figures), 0);
    figures.efficiency.elapsed = 0.5;
    EXPECT_NEAR(lost_share(figures), 0.5, kNearly);
}

TEST(Findings, ShowTheThreadsOfTheirRegion) {
    const std::vector<Finding> findings = found(10, {{Cause::kImbalance, 0, 2, 100}});
    ASSERT_EQ(findings.size(), 1U);
    ASSERT_EQ(findings[0].threads.size(), 4U);
    EXPECT_EQ(findings[0].threads[3].number, 3U);
    EXPECT_EQ(findings[0].threads[3].worked, 4);
    EXPECT_EQ(findings[0].threads[3].waited, 1.5);
    EXPECT_EQ(findings[0].threads[3].asleep, 0.25);
    // Which region it is nobody knows.
    const std::vector<Finding> unknown = found(10, {{Cause::kImbalance, kUnknown, 2, 100}});
    ASSERT_EQ(unknown.size(), 1U);
    EXPECT_TRUE(unknown[0].threads.empty());
}

} // namespace
} // namespace ocb_test
