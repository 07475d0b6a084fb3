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

} // namespace
