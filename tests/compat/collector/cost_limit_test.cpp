// SPDX-License-Identifier: Apache-2.0
//
// What the sampling thread pays for its looks, and when. Times are in microseconds.
#include "cost_limit.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using ompcollect::CostLimit;

constexpr uint64_t kLongest = 100000;
constexpr uint64_t kWanted = 10000;

TEST(CostLimit, CheapLooksComeAsWanted) {
    CostLimit limit(40, kLongest);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(limit.pause(kWanted, 200), kWanted);
    }
}

TEST(CostLimit, LooksThatAreAlwaysDearComeRarely) {
    CostLimit limit(40, kLongest);
    limit.pause(kWanted, 10000);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(limit.pause(kWanted, 10000), 400000U);
    }
}

// Nobody is blind for 600 ms then, and all of it is paid.
TEST(CostLimit, OneDearLookIsPaidInParts) {
    CostLimit limit(40, kLongest);
    limit.pause(kWanted, 0);
    uint64_t paid = limit.pause(kWanted, 15000);
    EXPECT_EQ(paid, kLongest);
    for (uint64_t pause = paid; pause > kWanted; paid += pause) {
        pause = limit.pause(kWanted, 100);
        EXPECT_LE(pause, kLongest);
    }
    EXPECT_GE(paid, 40U * 15000U);
}

// Where every second look is dear, the part of the processor is kept.
TEST(CostLimit, DearAndCheapLooksInTurnKeepToTheirPart) {
    CostLimit limit(40, kLongest);
    uint64_t cost = 0;
    uint64_t paid = 0;
    for (int i = 0; i < 1000; ++i) {
        const uint64_t each = i % 2 == 0 ? 1000 : 10;
        cost += each;
        paid += limit.pause(1000, each);
    }
    EXPECT_GE(paid + kLongest, 40 * cost);
}

TEST(CostLimit, DearLooksAreMadeInParts) {
    const auto parts_for = [](uint64_t cost) {
        CostLimit limit(40, kLongest);
        EXPECT_EQ(limit.parts(kWanted, cost), 1U) << "the first may be dear for once";
        return limit.parts(kWanted, cost);
    };
    EXPECT_EQ(parts_for(0), 1U);
    EXPECT_EQ(parts_for(370), 1U);
    EXPECT_EQ(parts_for(380), 3U);
    EXPECT_EQ(parts_for(750), 6U);
    EXPECT_EQ(parts_for(10000), 8U);
}

// A part of all costs a part of what all do, and each is paid for twice as long.
TEST(CostLimit, LooksInPartsTakeHalfOfTheProcessor) {
    CostLimit limit(40, kLongest);
    limit.pause(kWanted, 200, 4);
    EXPECT_EQ(limit.pause(kWanted, 200, 4), 80U * 200U);
}

} // namespace
