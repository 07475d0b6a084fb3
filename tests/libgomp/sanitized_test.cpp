// SPDX-License-Identifier: Apache-2.0
// The library built with sanitizers, in front of libgomp in programs of every construct, with a
// tool that counts: nothing is found. ThreadSanitizer is told what libgomp orders (order.h).
#include "libgomp_run.h"

#include <gtest/gtest.h>

namespace ocb_test {
namespace {

class Sanitized : public testing::TestWithParam<std::tuple<const char *, const char *>> {};

TEST_P(Sanitized, FindsNothing) {
    const auto [program, sanitizer] = GetParam();
    const std::string path = program_path(program) + "-" + sanitizer;
    LibgompRun with{{},
                    {{"ASAN_OPTIONS", "detect_leaks=0"},
                     {"TSAN_OPTIONS", "die_after_fork=0 suppressions=\"" OCB_LIBGOMP_TSAN "\""}},
                    {}};
    const Recorded alone = run_recorded(program_path(program), {});
    const Recorded watched = run_recorded(path, with);
    EXPECT_TRUE(watched.outcome.succeeded()) << watched.outcome.describe();
    EXPECT_EQ(alone.outcome.out, watched.outcome.out);
    EXPECT_EQ("", watched.outcome.err);
    ASSERT_FALSE(watched.counts.empty());
    EXPECT_EQ(0, watched.counts.at("misfits").first);
    // A tool that asks gets less work done for it, in other ways.
    with.environment["OCB_RECORD_ASKS"] = "1";
    const Recorded asked = run_recorded(path, with);
    EXPECT_TRUE(asked.outcome.succeeded()) << asked.outcome.describe();
    EXPECT_EQ(alone.outcome.out, asked.outcome.out);
    EXPECT_EQ("", asked.outcome.err);
}

std::string case_name(const testing::TestParamInfo<Sanitized::ParamType> &info) {
    return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
}
INSTANTIATE_TEST_SUITE_P(Programs, Sanitized,
                         testing::Combine(testing::Values("constructs", "tasks", "fixed", "late"),
                                          testing::Values("address", "thread")),
                         case_name);

} // namespace
} // namespace ocb_test
