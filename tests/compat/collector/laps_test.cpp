// SPDX-License-Identifier: Apache-2.0
//
// Laps in the profile: what threads run between barriers, and what the last ones do. Work is of
// processor time, so that others on the machine do not change it.
#include "busy_processes.h"
#include "launcher_run.h"

#include "profile_files.h"
#include "read_profile.h"

namespace ocb_test {
namespace {

Process profile_of(bool is_alone, const std::string &more, const std::string &less,
                   unsigned barriers) {
    const TemporaryFolder folder;
    Command command;
    command.arguments = {"/usr/bin/env",
                         "LD_LIBRARY_PATH=" OCB_TEST_LIB_FOLDER,
                         "LD_PRELOAD=libompcollect-preload.so",
                         "OMP_WAIT_POLICY=passive",
                         "OMPCOLLECT_PROFILE_DIR=" + folder.file(""),
                         OCB_TEST_PROGRAMS "/clang/laps",
                         more,
                         less,
                         std::to_string(barriers)};
    const BusyProcesses others(is_alone ? 0 : sysconf(_SC_NPROCESSORS_ONLN));
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    Process process;
    const auto files = profile_files(folder.file(""));
    EXPECT_EQ(why_not_read(files.empty() ? "" : files.back().string(), process), "");
    return process;
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

TEST(LapsOfThreads, ShowWhatTheLastOneRan) {
    OCB_SKIP_IF_SANITIZED();
    constexpr unsigned kBarriers = 120;
    uint64_t laps = 0;
    const Process uneven = profile_of(false, "9", "3", kBarriers);
    EXPECT_NEAR(last_beside_mean(uneven, laps), 1.5, 0.15);
    expect_most(laps, kBarriers);
    const Process even = profile_of(false, "6", "6", kBarriers);
    EXPECT_NEAR(last_beside_mean(even, laps), 1, 0.05);
    expect_most(laps, kBarriers);
}

// Laps too short to look at the clock of the processor for.
TEST(LapsOfThreads, AreKnownOfShortOnes) {
    OCB_SKIP_IF_SANITIZED();
    constexpr unsigned kBarriers = 20000;
    uint64_t laps = 0;
    const Process short_ones = profile_of(false, "0.03", "0.03", kBarriers);
    EXPECT_GT(last_beside_mean(short_ones, laps), 0);
    expect_most(laps, kBarriers);
}

TEST(LapsOfThreads, AreNotMeasuredWhereThreadsHaveTheirProcessors) {
    OCB_SKIP_IF_SANITIZED();
    const Process alone = profile_of(true, "9", "3", 60);
    constexpr double kLeast = 0.005; // a twentieth of the shortest time that is looked at
    EXPECT_TRUE(alone.laps.empty() || alone.waited_for_others >= kLeast) << alone.waited_for_others;
}

} // namespace
} // namespace ocb_test
