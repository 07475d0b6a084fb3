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

} // namespace
