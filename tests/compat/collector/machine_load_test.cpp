// SPDX-License-Identifier: Apache-2.0
//
// When others on the machine are measured beside. Times are in microseconds.
#include "machine_load.h"

#include <gtest/gtest.h>

namespace {

using ompcollect::are_others_noticed;

constexpr uint64_t kWindow = 100000;

// Two threads, of which each waits for others alone.
TEST(MachineLoad, OthersAreNoticedFromATwentiethOfTheTimeOn) {
    EXPECT_FALSE(are_others_noticed(kWindow, 5000, 5000));
    EXPECT_TRUE(are_others_noticed(kWindow, 5020, 5020));
}

TEST(MachineLoad, OthersAreNoticedAmongSomeThreadsTooMany) {
    EXPECT_TRUE(are_others_noticed(kWindow, 2 * kWindow, kWindow / 4));
}

// A tenth of two processors was idle, or others'.
TEST(MachineLoad, OthersAreNotNoticedInACrowdOfTheProgramsOwn) {
    EXPECT_FALSE(are_others_noticed(kWindow, 126 * kWindow, kWindow / 5));
    EXPECT_FALSE(are_others_noticed(kWindow, 126 * kWindow, 2 * kWindow));
}

TEST(MachineLoad, OthersAreShownFromATwentiethOnAndWhatAnAccountLeavesOut) {
    using ompcollect::are_others_shown;
    constexpr uint64_t kTick = kWindow / 10;
    constexpr uint64_t kLeftOut = 3 * kTick; // of two processors
    EXPECT_FALSE(are_others_shown(kWindow, kWindow / 20 + kLeftOut, kTick, 2));
    EXPECT_TRUE(are_others_shown(kWindow, kWindow / 20 + kLeftOut + 1, kTick, 2));
    EXPECT_TRUE(are_others_shown(10 * kWindow, kWindow, kTick, 2)); // a tenth of one processor
}

// A loop of another program on one of many processors keeps one thread, and so all.
TEST(MachineLoad, OneOtherIsShownOnALargeMachine) {
    constexpr uint64_t kTick = kWindow / 10;
    EXPECT_TRUE(ompcollect::are_others_shown(3 * kWindow, 3 * kWindow, kTick, 128));
    EXPECT_FALSE(ompcollect::are_others_shown(3 * kWindow, 3 * kWindow / 10, kTick, 128));
}

} // namespace
