// SPDX-License-Identifier: Apache-2.0
//
// The names and lines of places in files.
#include "source_lines.h"
#include "symbol_index.h"
#include "words.h"

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
    const SymbolAt place =
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

// The client of debuginfod brings libraries for network and cryptography, whose start takes longer
// than to name all places of a small program.
TEST(SourceLines, LoadsNoClientOfServersUnlessTold) {
    constexpr const char *kClient = "libdebuginfod.so.1";
    if (dlopen(kClient, RTLD_LAZY | RTLD_NOLOAD)) {
        GTEST_SKIP() << "something else has loaded it";
    }
    SourceLines lines;
    lines.look_up(OCB_TEST_PROGRAMS "/stripped", 0x1000);
    EXPECT_EQ(dlopen(kClient, RTLD_LAZY | RTLD_NOLOAD), nullptr);
}

TEST(SourceLines, FindsADebugFileByItsName) {
    SourceLines lines;
    std::string source;
    for (uint64_t offset = 0x1000; offset < 0x2000 && source.empty(); offset += 4) {
        source = lines.look_up(OCB_TEST_PROGRAMS "/debug-beside", offset).source;
    }
    EXPECT_EQ(source.find("plain.c:"), 0U) << source;
}

// The line of the first place in main().
std::string line_in_main(const std::string &program, uint64_t begin) {
    SourceLines lines;
    constexpr uint64_t kCode = 0x1000;
    for (uint64_t offset = begin; offset < begin + kCode; offset += 4) {
        if (const SymbolAt place = lines.look_up(program, offset); place.symbol == "main") {
            return place.source.empty() ? "none" : place.source;
        }
    }
    return "no main";
}

TEST(SourceLines, AreReadInEachFormOfDebugInformation) {
    const std::string folder = OCB_TEST_PROGRAMS "/forms/";
    for (const char *compiler : {"GCC", "CLANG"}) {
        for (const char *form : {"gdwarf-4", "gdwarf-5", "gz=zlib", "gsplit-dwarf", "no-pie"}) {
            const uint64_t begin = std::string(form) == "no-pie" ? 0x401000 : 0x1000;
            const std::string line = line_in_main(folder + compiler + "-" + form, begin);
            EXPECT_EQ(line.find("plain.c:"), 0U) << compiler << " -" << form << ": " << line;
        }
    }
}

// elfutils reads it from 0.189 on. The function has its name without. A stripped program and its
// debug file: no name either.
TEST(SourceLines, AreMissedWithAWordWhereZstdCannotBeRead) {
    const std::string packed = OCB_TEST_PROGRAMS "/forms/GCC-gz=zstd";
    const std::string line = line_in_main(packed, 0x1000);
    EXPECT_TRUE(line == "none" || line.find("plain.c:") == 0) << line;
    const std::string stripped = OCB_TEST_PROGRAMS "/stripped";
    const std::string readable = OCB_TEST_PROGRAMS "/debug-beside";
    for (const std::string &name :
         {packed, std::string(OCB_TEST_PROGRAMS "/zstd-beside"), stripped, readable}) {
        SourceLines lines;
        EXPECT_EQ(lines.why_lines_are_missing(), "");
        (void)lines.look_up(name, 0x1000);
        const bool is_missed = name != stripped && name != readable && line == "none";
        EXPECT_EQ(lines.why_lines_are_missing().find("no source lines of " +
                                                     report::base_name(name) + ": elfutils "),
                  is_missed ? 0 : std::string::npos)
            << name << ": " << lines.why_lines_are_missing();
    }
}

TEST(SourceLines, LeavesOutTheLinesOfTheCLibrary) {
    Dl_info info;
    ASSERT_NE(dladdr(reinterpret_cast<void *>(&strtod), &info), 0);
    SourceLines lines;
    const SymbolAt place =
        lines.look_up(info.dli_fname, reinterpret_cast<uintptr_t>(info.dli_saddr) -
                                          reinterpret_cast<uintptr_t>(info.dli_fbase));
    EXPECT_EQ(place.symbol, "strtod");
    EXPECT_EQ(place.source, "");
}

TEST(SymbolIndex, NamesWhatTheAddressBelongsTo) {
    SymbolIndex symbols;
    symbols.add({100, 50, "outer", false});
    symbols.add({110, 10, "inner@@VERSION_2", false});
    symbols.add({200, 10, "local", false});
    symbols.add({200, 10, "_known", true});
    symbols.add({200, 10, "known", true});
    symbols.add({200, 10, "known64", true});
    symbols.add({200, 10, "__known", true});
    symbols.add({300, 0, "label", true});
    symbols.put_in_order();
    EXPECT_EQ(symbols.name_at(99), "");
    EXPECT_EQ(symbols.name_at(100), "outer");
    EXPECT_EQ(symbols.name_at(119), "inner");
    EXPECT_EQ(symbols.name_at(120), "outer");
    EXPECT_EQ(symbols.name_at(149), "outer");
    EXPECT_EQ(symbols.name_at(150), "");
    EXPECT_EQ(symbols.name_at(209), "known");
    EXPECT_EQ(symbols.name_at(300), "label");
    EXPECT_EQ(symbols.name_at(301), "");
    EXPECT_EQ(SymbolIndex().name_at(100), "");
}

TEST(SourceLines, SaysNothingWhereNothingIsKnown) {
    SourceLines lines;
    // Without debug information or outside of everything: empty, not a guess.
    EXPECT_EQ(lines.look_up("/nonexistent", 0x1000).source, "");
    EXPECT_EQ(lines.look_up(OCB_TEST_DRIVER, 0).symbol, "");
}

} // namespace
} // namespace ompcollect
