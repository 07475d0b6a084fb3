// SPDX-License-Identifier: Apache-2.0
//
// The experiment, as Debian's unmodified gprofng shows it: its numbers are ours. The format is
// documented nowhere, so this test is what holds it.
#include "formats.h"
#include "made_runs.h"
#include "process.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <sstream>

// Exported, so that gprofng finds their names in the test's symbol table.
extern "C" __attribute__((noinline)) int ocb_made_outer() {
    return __LINE__;
}
extern "C" __attribute__((noinline)) int ocb_made_inner() {
    return __LINE__ + ocb_made_outer();
}

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

void put_into(Node &node, int (*function)()) {
    const auto address = reinterpret_cast<uintptr_t>(function);
    Dl_info info;
    ASSERT_NE(dladdr(reinterpret_cast<void *>(address), &info), 0);
    node.module = fs::read_symlink("/proc/self/exe").string();
    node.offset = address - reinterpret_cast<uintptr_t>(info.dli_fbase) + 1;
}

// Two threads, a region in ocb_made_outer and one in ocb_made_inner inside it.
Process experiment() {
    MadeProcess made(2, 4);
    made.process.program = fs::read_symlink("/proc/self/exe").string();
    const int outer = made.region("ocb_made_outer", 1, 1);
    const int inner = made.region("ocb_made_inner", 2, 1, outer);
    put_into(made.process.nodes[0], ocb_made_outer);
    put_into(made.process.nodes[1], ocb_made_inner);
    made.serial(0.25);
    for (unsigned i = 0; i < 2; ++i) {
        made.time(i, outer, THR_WORK_STATE, 1 + i);
        made.time(i, inner, THR_WORK_STATE, 0.5);
    }
    made.time(0, inner, THR_CTWT_STATE, 0.75);
    made.time(0, outer, THR_IBAR_STATE, 1);
    made.time(1, outer, THR_OVHD_STATE, 0.125);
    return made.process;
}

class Gprofng : public testing::Test {
  protected:
    void SetUp() override {
        if (!fs::exists("/usr/bin/gprofng")) {
            GTEST_SKIP() << "gprofng is not installed";
        }
        format_named("gprofng").write_folder({{experiment()}}, folder_.file("made.er"));
    }

    [[nodiscard]] std::string shown(const std::vector<std::string> &commands,
                                    const char *name = "made.er") const {
        Command command;
        command.arguments = {"/usr/bin/gprofng", "display", "text"};
        command.arguments.insert(command.arguments.end(), commands.begin(), commands.end());
        command.arguments.push_back(folder_.file(name));
        command.environment["HOME"] = folder_.file(".");
        const Outcome outcome = run(command);
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        return outcome.out;
    }

    // Words of the line that has `name`.
    static std::vector<std::string> line_of(const std::string &text, const std::string &name) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            if (line.find(name) != std::string::npos) {
                std::istringstream in(line);
                std::vector<std::string> words;
                for (std::string word; in >> word;) {
                    words.push_back(word);
                }
                return words;
            }
        }
        ADD_FAILURE() << "no line of " << name << " in\n" << text;
        return {};
    }

    const TemporaryFolder folder_;
};

using Words = std::vector<std::string>;

TEST_F(Gprofng, ShowsWorkWaitAndOverheadOfFunctions) {
    const std::string text =
        shown({"-metrics", "e.ompwork:i.ompwork:e.ompwait:i.ompwait:e.ompovhd:name", "-functions"});
    EXPECT_EQ(line_of(text, "<Total>"),
              (Words{"4.250", "4.250", "2.000", "2.000", "0.125", "<Total>"}))
        << text;
    EXPECT_EQ(line_of(text, "ocb_made_outer"),
              (Words{"3.000", "4.000", "0.", "1.750", "0.125", "ocb_made_outer"}))
        << text;
    EXPECT_EQ(line_of(text, "ocb_made_inner"),
              (Words{"1.000", "1.000", "0.", "0.750", "0.", "ocb_made_inner"}))
        << text;
    EXPECT_EQ(line_of(text, "<OMP-implicit_barrier>")[2], "1.000") << text;
    EXPECT_EQ(line_of(text, "<OMP-critical_section_wait>")[2], "0.750") << text;
    EXPECT_EQ(line_of(text, "<OMP-idle>")[2], "0.250") << text;
}

TEST_F(Gprofng, ShowsWhatTheRunHasLost) {
    EXPECT_EQ(shown({"-header"}).find("killed by"), std::string::npos);
    Process killed = experiment();
    killed.how_it_ended = "killed by signal 9 (Killed)";
    format_named("gprofng").write_folder({{killed}}, folder_.file("killed.er"));
    const std::string head = shown({"-header"}, "killed.er");
    EXPECT_NE(head.find("the end was not seen: killed by signal 9 (Killed)"), std::string::npos)
        << head;
}

TEST_F(Gprofng, ShowsRegions) {
    const std::string text =
        shown({"-metrics", "e.ompwork:e.ompwait:name", "-indxobj", "OMP_preg"});
    const Words outer = line_of(text, "Region from ocb_made_outer");
    const Words inner = line_of(text, "Region from ocb_made_inner");
    ASSERT_GE(outer.size(), 2U);
    ASSERT_GE(inner.size(), 2U);
    EXPECT_EQ((Words{outer[0], outer[1]}), (Words{"3.000", "1.000"})) << text;
    EXPECT_EQ((Words{inner[0], inner[1]}), (Words{"1.000", "0.750"})) << text;
}

TEST_F(Gprofng, ShowsTheTreeBelowTheForkingFunctions) {
    const std::string text = shown({"-metrics", "i.ompwork:name", "-view", "user", "-calltree"});
    const size_t outer = text.find("+-ocb_made_outer");
    const size_t inner = text.find("+-ocb_made_inner");
    ASSERT_NE(outer, std::string::npos) << text;
    ASSERT_NE(inner, std::string::npos) << text;
    EXPECT_GT(inner, outer) << text;
    const auto column = [&](size_t at) { return at - text.rfind('\n', at); };
    EXPECT_GT(column(inner), column(outer)) << text;
}

// `gprofng display html` of 2.40 begins the same program with an option that it does not know.
TEST_F(Gprofng, MakesPages) {
    Command command;
    // It takes no path with a dash, such as the folder's.
    command.arguments = {"/bin/sh", "-c", R"(cd "$0" && exec gp-display-html -o pages made.er)",
                         folder_.file(".")};
    command.environment = {{"HOME", folder_.file(".")}};
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    std::ifstream in(folder_.file("pages/function-view-sorted.e.ompwait.html"));
    const std::string page((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    for (const char *expected : {"6.375     4.250     2.000     0.125",
                                 "4.125     3.000     1.000     0.125", "ocb_made_outer"}) {
        EXPECT_NE(page.find(expected), std::string::npos) << expected << page;
    }
}

TEST_F(Gprofng, FiltersByState) {
    const std::string text =
        shown({"-filters", "OMPSTATE==9", "-metrics", "e.ompwait:name", "-functions"});
    EXPECT_EQ(line_of(text, "<Total>"), (Words{"0.750", "<Total>"})) << text;
}

} // namespace
} // namespace ocb_test
