// SPDX-License-Identifier: Apache-2.0
//
// The results of Debian's libomp, and of libgomp with libgomp-ompt, against those that are kept.
#include "suite.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace compliance_test {
namespace {

class Libomp : public testing::TestWithParam<const char *> {};

TEST_P(Libomp, ResultsAreThoseThatAreKept) {
    const std::string version = GetParam();
    const std::string runtime = OCB_TEST_LIBOMPS "/" + version + "/lib/libomp.so.5";
    if (!std::filesystem::exists(runtime)) {
        GTEST_SKIP() << "libomp " << version << " is not there; tests/run.sh fetches it";
    }
    const ocb_test::Outcome outcome = run_suite(
        {"--runtime", runtime, "--compare", OCB_TEST_EXPECTED "/libomp-" + version + ".txt"});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.out, "") << "these checks differ";
}

TEST(Libgomp, ResultsAreThoseThatAreKept) {
    const ocb_test::Outcome outcome =
        run_suite({"--runtime", "libgomp", "--compare", OCB_TEST_EXPECTED "/libgomp.txt"});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.out, "") << "these checks differ";
}

INSTANTIATE_TEST_SUITE_P(Versions, Libomp, testing::Values("13", "14", "15", "16", "19"),
                         [](const auto &version) { return std::string(version.param); });

} // namespace
} // namespace compliance_test
