// SPDX-License-Identifier: Apache-2.0
//
// Rates above the kernel's tick: they are delivered, or the rate that is taken is named at once.
#include "beside_loops.h"
#include "launcher_run.h"
#include "long_form.h"

#include "profile_files.h"
#include "read_profile.h"

#include <cstdio>

namespace ocb_test {
namespace {

struct Sampled {
    std::string err;
    Process process;
    double used = 0; // ms of processor time of the region's threads
    [[nodiscard]] uint64_t samples() const {
        uint64_t sum = 0;
        for (const ompcollect::report::Thread &thread : process.threads) {
            sum += thread.samples;
        }
        return sum;
    }
};

// By the processor's time alone: every sample is then a signal's.
Sampled sampled(const std::vector<std::string> &arguments, int rate) {
    const TemporaryFolder folder;
    Command command;
    command.arguments = {OCB_TEST_PROGRAMS "/clang/rates"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = {{"LD_LIBRARY_PATH", OCB_TEST_LIB_FOLDER},
                           {"LD_PRELOAD", "libompcollect-preload.so"},
                           {"OMP_WAIT_POLICY", "passive"},
                           {"OMPCOLLECT_CLOCK", "cpu"},
                           {"OMPCOLLECT_RATE", std::to_string(rate)},
                           {"OMPCOLLECT_PROFILE_DIR", folder.file("")}};
    Sampled result;
    result.err = run(command).err;
    const size_t at = result.err.find("used ");
    EXPECT_NE(at, std::string::npos) << result.err;
    EXPECT_EQ(
        at == std::string::npos ? 0 : sscanf(result.err.c_str() + at, "used %lf", &result.used), 1);
    const auto files = profile_files(folder.file(""));
    EXPECT_EQ(why_not_read(files.empty() ? "" : files.back().string(), result.process), "");
    return result;
}

bool is_refused(const Sampled &result) {
    return result.err.find("samples a second are asked for") != std::string::npos;
}

// Each period of the processor's time is a sample, or is counted as late.
TEST(Rates, AboveTheTickAreDeliveredAndCounted) {
    OCB_SKIP_IF_SANITIZED();
    for (const int rate : {2000, 10000}) {
        SCOPED_TRACE(rate);
        const Sampled result = sampled({"200"}, rate);
        if (is_refused(result)) {
            GTEST_SKIP() << result.err;
        }
        const double periods = result.used * rate / 1000;
        const auto delivered = static_cast<double>(result.samples());
        const auto late = static_cast<double>(result.process.late_samples);
        EXPECT_EQ(result.process.rate, static_cast<unsigned>(rate));
        EXPECT_GT(delivered, periods / 2); // the tick has an eighth at most
        EXPECT_GT(delivered + late, 0.9 * periods);
        EXPECT_LT(delivered + late, 1.3 * periods); // threads work outside of the region too
        EXPECT_EQ(result.process.lost_samples, 0U);
    }
}

// No file of the kernel may be had for it: the profile has the rate of the tick, and says so.
TEST(Rates, ThatCannotBeHadAreNamedAtTheStart) {
    OCB_SKIP_IF_SANITIZED();
    const Sampled result = sampled({"200", "filtered"}, 10000);
    EXPECT_TRUE(is_refused(result)) << result.err;
    EXPECT_LT(result.err.find("samples a second are asked for"), result.err.find("used "));
    EXPECT_LT(result.process.rate, 10000U);
    const double periods = result.used * result.process.rate / 1000;
    EXPECT_GT(static_cast<double>(result.samples()),
              periods / 4); // a thread without a whole tick has none
}

// The rate of the default is below every tick.
TEST(Rates, OfTheDefaultNeedNothingOfThat) {
    OCB_SKIP_IF_SANITIZED();
    const Sampled result = sampled({"200", "filtered"}, 97);
    EXPECT_FALSE(is_refused(result)) << result.err;
    EXPECT_EQ(result.process.rate, 97U);
}

// A perf event that counted in the kernel ended 17 to 20 of 60,000 calls: 3 of these 9,000.
TEST(Rates, NoSampleEndsASystemCall) {
    OCB_SKIP_IF_SANITIZED();
    for (const char *rate : {"97", "1000", "10000"}) {
        SCOPED_TRACE(rate);
        const long rounds = is_long() ? 1'700'000 : 1'500;
        std::string out;
        profile_of({{"clang/short_waits", std::to_string(rounds)},
                    false,
                    {std::string("OMPCOLLECT_RATE=") + rate}},
                   &out);
        EXPECT_EQ(out, "0 of " + std::to_string(6 * rounds) + " calls were interrupted\n");
    }
}

} // namespace
} // namespace ocb_test
