// SPDX-License-Identifier: Apache-2.0
//
// The names and lines of places in files.
#include "source_lines.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace ompcollect {
namespace {

constexpr int kLineBefore = __LINE__;
extern "C" __attribute__((noinline)) int a_function_of_the_test() {
    return kLineBefore;
}
constexpr int kLineAfter = __LINE__;

TEST(SourceLines, NamesFunctionAndLine) {
    const auto address = reinterpret_cast<uintptr_t>(&a_function_of_the_test);
    Dl_info info;
    ASSERT_NE(dladdr(reinterpret_cast<void *>(address), &info), 0);
    SourceLines lines;
    const SourcePlace place =
        lines.look_up("/proc/self/exe", address - reinterpret_cast<uintptr_t>(info.dli_fbase));
    EXPECT_EQ(place.symbol, "a_function_of_the_test");
    const std::string file = "source_lines_test.cpp:";
    ASSERT_EQ(place.source.find(file), 0U) << place.source;
    const int line = std::stoi(place.source.substr(file.size()));
    EXPECT_GT(line, kLineBefore);
    EXPECT_LT(line, kLineAfter);
}

// As a stripped file's functions are told apart.
TEST(SourceLines, KnowsWhereAFunctionBegins) {
    const auto address = reinterpret_cast<uintptr_t>(&a_function_of_the_test);
    Dl_info info;
    ASSERT_NE(dladdr(reinterpret_cast<void *>(address), &info), 0);
    const uint64_t offset = address - reinterpret_cast<uintptr_t>(info.dli_fbase);
    SourceLines lines;
    EXPECT_EQ(lines.function_begin("/proc/self/exe", offset), offset);
    EXPECT_EQ(lines.function_begin("/proc/self/exe", offset + 1), offset);
    EXPECT_LT(lines.function_begin("/proc/self/exe", offset - 1), offset);
    EXPECT_EQ(lines.function_begin("/nonexistent", offset), 0U);
}

TEST(SourceLines, AskNoServersUnlessTold) {
    setenv("DEBUGINFOD_URLS", "file:///nowhere", 1);
    { const SourceLines lines(true); }
    EXPECT_NE(getenv("DEBUGINFOD_URLS"), nullptr);
    { const SourceLines lines; }
    EXPECT_EQ(getenv("DEBUGINFOD_URLS"), nullptr);
}

TEST(SourceLines, SaysNothingWhereNothingIsKnown) {
    SourceLines lines;
    // Without debug information or outside of everything: empty, not a guess.
    EXPECT_EQ(lines.look_up("/nonexistent", 0x1000).source, "");
    EXPECT_EQ(lines.look_up(OCB_TEST_DRIVER, 0).symbol, "");
}

} // namespace
} // namespace ompcollect
