// SPDX-License-Identifier: Apache-2.0
//
// Laps in the profile: what threads run between barriers, and what the last ones do. Work is of
// processor time, so that others on the machine do not change it.
#include "launcher_run.h"

#include "profile_files.h"
#include "read_profile.h"

namespace ocb_test {
namespace {

constexpr unsigned kBarriers = 60;

Process profile_of(const std::string &more, const std::string &less) {
    const TemporaryFolder folder;
    Command command;
    command.arguments = {OCB_TEST_PROGRAMS "/clang/laps", more, less, std::to_string(kBarriers)};
    command.environment = {{"LD_LIBRARY_PATH", OCB_TEST_LIB_FOLDER},
                           {"LD_PRELOAD", "libompcollect-preload.so"},
                           {"OMP_WAIT_POLICY", "passive"},
                           {"OMPCOLLECT_PROFILE_DIR", folder.file("")}};
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

// Before the first barrier is no lap; the one at the region's end has one, too.
TEST(LapsOfThreads, ShowWhatTheLastOneRan) {
    OCB_SKIP_IF_SANITIZED();
    uint64_t laps = 0;
    const Process uneven = profile_of("9", "3");
    EXPECT_NEAR(last_beside_mean(uneven, laps), 1.5, 0.15);
    EXPECT_EQ(laps, 2 * kBarriers);
    const Process even = profile_of("6", "6");
    EXPECT_NEAR(last_beside_mean(even, laps), 1, 0.05);
    EXPECT_EQ(laps, 2 * kBarriers);
}

// Laps too short to look at the clock of the processor for.
TEST(LapsOfThreads, AreKnownOfShortOnes) {
    OCB_SKIP_IF_SANITIZED();
    uint64_t laps = 0;
    const Process short_ones = profile_of("0.03", "0.03");
    EXPECT_GT(last_beside_mean(short_ones, laps), 0);
    EXPECT_EQ(laps, 2 * kBarriers);
}

} // namespace
} // namespace ocb_test
