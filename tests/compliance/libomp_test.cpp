// SPDX-License-Identifier: Apache-2.0
//
// The results of Debian's libomp with programs of clang and gcc, and of libgomp with libgomp-ompt,
// against those that are kept.
#include "suite.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace compliance_test {
namespace {

class Libomp : public testing::TestWithParam<const char *> {};

// Of programs built by gcc only what differs is kept apart.
std::string kept_for(const std::string &version, const std::string &compiler) {
    const std::string stem = OCB_TEST_EXPECTED "/libomp-" + version;
    const std::string own = stem + "-" + compiler + ".txt";
    return std::filesystem::exists(own) ? own : stem + ".txt";
}

void expect_kept(const std::string &version, const std::string &compiler) {
    const std::string runtime = OCB_TEST_LIBOMPS "/" + version + "/lib/libomp.so.5";
    if (!std::filesystem::exists(runtime)) {
        GTEST_SKIP() << "libomp " << version << " is not there; tests/run.sh fetches it";
    }
    const ocb_test::Outcome outcome = run_suite(
        {"--runtime", runtime, "--compiler", compiler, "--compare", kept_for(version, compiler)});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.out, "") << "these checks differ";
}

TEST_P(Libomp, ResultsAreThoseThatAreKept) {
    expect_kept(GetParam(), "clang");
}

TEST_P(Libomp, ResultsOfProgramsBuiltByGccAreThoseThatAreKept) {
    expect_kept(GetParam(), "gcc");
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
