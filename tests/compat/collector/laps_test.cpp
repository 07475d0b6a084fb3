// SPDX-License-Identifier: Apache-2.0
//
// Laps in the profile: what threads run between barriers, and what the last ones do. Work is of
// processor time, so that others on the machine do not change it.
#include "beside_loops.h"

namespace ocb_test {
namespace {

Process laps_of(const std::string &more, const std::string &less, unsigned barriers,
                const std::string &program = "clang/laps", bool is_alone = false,
                const std::string &how = "") {
    return profile_of({{program, more, less, std::to_string(barriers), how},
                       is_alone,
                       {"OMP_WAIT_POLICY=passive", "GOMP_SPINCOUNT=0"}});
}

// What the last ones ran, beside the mean of all.
double last_beside_mean(const Process &process, uint64_t &laps) {
    double late_ran = 0;
    double ran = 0;
    uint64_t late = 0;
    laps = 0;
    for (const ompcollect::report::Laps &each : process.laps) {
        late_ran += each.late_ran;
        ran += each.ran;
        laps += each.laps;
        late += each.late;
    }
    EXPECT_EQ(process.laps.size(), 2U);
    EXPECT_NEAR(static_cast<double>(2 * late), static_cast<double>(laps), 4); // but the last one
    return late == 0 || ran <= 0
               ? 0
               : (late_ran / static_cast<double>(late)) / (ran / static_cast<double>(laps));
}

// Most of the laps come after the moment in which others are noticed.
void expect_most(uint64_t laps, unsigned barriers) {
    EXPECT_GT(laps, barriers);
    EXPECT_LE(laps, 2 * barriers);
}

void expect_what_the_last_one_ran(const std::string &program) {
    constexpr unsigned kBarriers = 120;
    uint64_t laps = 0;
    const Process uneven = laps_of("9", "3", kBarriers, program);
    EXPECT_NEAR(last_beside_mean(uneven, laps), 1.5, 0.15);
    expect_most(laps, kBarriers);
    const Process even = laps_of("6", "6", kBarriers, program);
    EXPECT_NEAR(last_beside_mean(even, laps), 1, 0.05);
    expect_most(laps, kBarriers);
}

TEST(LapsOfThreads, ShowWhatTheLastOneRan) {
    OCB_SKIP_IF_SANITIZED();
    expect_what_the_last_one_ran("clang/laps");
}

TEST(LapsOfThreads, ShowWhatTheLastOneRanOnLibgomp) {
    OCB_SKIP_IF_SANITIZED();
    expect_what_the_last_one_ran("gcc/laps");
}

// Of uneven laps in one of the program's ways, by both compilers.
void expect_uneven_laps(const std::string &less, const std::string &how, double expected,
                        double error) {
    constexpr unsigned kCount = 60;
    for (const char *program : {"clang/laps", "gcc/laps"}) {
        uint64_t laps = 0;
        const Process process = laps_of("9", less, kCount, program, false, how);
        EXPECT_NEAR(last_beside_mean(process, laps), expected, error) << program;
        expect_most(laps, kCount);
        for (const ompcollect::report::Laps &each : process.laps) {
            if (how == "regions") {
                EXPECT_EQ(each.waited, 0) << program; // nobody waits before a fork
            }
        }
    }
}

// Mostly it begins while a thread waits in a barrier that its team-mate comes to afterwards. Turns
// are two barriers long, so that a lap too early or too late is another one's.
TEST(LapsOfThreads, HaveTheSameNumbersWhereverMeasuringBegins) {
    OCB_SKIP_IF_SANITIZED();
    expect_uneven_laps("1", "pairs", 1.8, 0.2);
}

// The only lap of a region begins at its fork.
TEST(LapsOfThreads, BeginAtForks) {
    OCB_SKIP_IF_SANITIZED();
    expect_uneven_laps("3", "regions", 1.5, 0.15);
}

// Regions between two barriers have barriers of their own.
TEST(LapsOfThreads, GoOnBehindRegionsInside) {
    OCB_SKIP_IF_SANITIZED();
    constexpr unsigned kBarriers = 60;
    const Process process =
        profile_of({{"clang/laps", "6", "6", std::to_string(kBarriers), "inside"}, false, {}});
    uint64_t laps = 0;
    for (const ompcollect::report::Laps &each : process.laps) {
        const bool is_outermost = outermost_of(process, each.node) == region_of(process, each.node);
        laps += is_outermost ? each.laps : 0;
    }
    expect_most(laps, kBarriers);
}

// A thread in a slot that was another one's before has laps of its own.
TEST(LapsOfThreads, AreOfTheThreadThatHasTheSlotNow) {
    OCB_SKIP_IF_SANITIZED();
    constexpr unsigned kThreads = 3000; // more than ended ones rest (thread_slots.cpp)
    constexpr unsigned kBarriers = 20;
    const Process process =
        profile_of({{"clang/lives", std::to_string(kThreads), std::to_string(kBarriers)},
                    false,
                    {"OMP_WAIT_POLICY=passive"}});
    std::vector<unsigned> threads;
    for (const ompcollect::report::Laps &each : process.laps) {
        if (each.laps + 2 >= kBarriers &&
            each.laps < kBarriers) { // of the last barrier it is not known who came last
            threads.push_back(each.thread);
        }
    }
    ASSERT_EQ(threads.size(), 1U) << "the last thread alone has come to so many barriers";
    EXPECT_GT(threads.front(), 1024U);
}

// Laps too short to look at the clock of the processor for.
TEST(LapsOfThreads, AreKnownOfShortOnes) {
    OCB_SKIP_IF_SANITIZED();
    constexpr unsigned kBarriers = 8000;
    uint64_t laps = 0;
    const Process short_ones = laps_of("0.03", "0.03", kBarriers);
    EXPECT_GT(last_beside_mean(short_ones, laps), 0);
    expect_most(laps, kBarriers);
}

TEST(LapsOfThreads, AreNotMeasuredWhereThreadsHaveTheirProcessors) {
    OCB_SKIP_IF_SANITIZED();
    const Process alone = laps_of("9", "3", 60, "clang/laps", true);
    constexpr double kLeast = 0.005; // a twentieth of the shortest time that is looked at
    EXPECT_TRUE(alone.laps.empty() || alone.waited_for_others >= kLeast) << alone.waited_for_others;
}

} // namespace
} // namespace ocb_test
