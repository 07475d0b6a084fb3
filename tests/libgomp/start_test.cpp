// SPDX-License-Identifier: Apache-2.0
// Whose calls are observed, for which tool, and when the library steps aside.
#include "libgomp_run.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace ocb_test {
namespace {

const std::string kOmpt = OCB_LIBGOMP_OMPT;
const std::string kRecorder = OCB_LIBGOMP_RECORDER;

TEST(Start, ToolOfTheListIsFound) {
    const Recorded run = run_recorded(
        program_path("fixed"), {{kOmpt}, {{"OMP_TOOL_LIBRARIES", "/nowhere.so:" + kRecorder}}, {}});
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_FALSE(run.counts.empty());
    EXPECT_EQ(102, run.counts.at("parallel_begin").first);
}

TEST(Start, VerboseInitSaysWhatWasLookedFor) {
    const LibgompRun with{
        {kOmpt},
        {{"OMP_TOOL_VERBOSE_INIT", "stderr"}, {"OMP_TOOL_LIBRARIES", "/nowhere.so:" + kRecorder}},
        {}};
    const std::string said = run_recorded(program_path("fixed"), with).outcome.err;
    EXPECT_NE(std::string::npos, said.find("no ompt_start_tool in the address space")) << said;
    EXPECT_NE(std::string::npos, said.find("/nowhere.so")) << said;
    EXPECT_NE(std::string::npos, said.find("tool found in " + kRecorder)) << said;
    EXPECT_NE(std::string::npos, said.find("the tool is initialised")) << said;
}

TEST(Start, OtherValueOfOmpToolIsSaidAndTakenForDisabled) {
    const Recorded run =
        run_recorded(program_path("fixed"), {{kOmpt, kRecorder}, {{"OMP_TOOL", "perhaps"}}, {}});
    EXPECT_TRUE(run.outcome.succeeded());
    EXPECT_TRUE(run.counts.empty());
    EXPECT_EQ("[libgomp-ompt] warning: no tool is started: OMP_TOOL is neither enabled nor "
              "disabled but perhaps\n",
              run.outcome.err);
}

// A warning and every line of the search: neither into a file of the program's own, nor as SIGPIPE.
const std::map<std::string, std::string> kTalkative = {{"OMP_TOOL_VERBOSE_INIT", "stderr"},
                                                       {"OMP_TOOL", "perhaps"}};

TEST(LostStderr, GetsNoLine) {
    const TemporaryFolder folder;
    const std::string path = folder.file("data");
    const Recorded run = run_recorded(program_path("lost_stderr"), {{kOmpt}, kTalkative, {path}});
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ("still there 2\n", run.outcome.out);
    EXPECT_EQ(0U, std::filesystem::file_size(path));
    // Where stderr is the one of the beginning, they come.
    const std::string said =
        run_recorded(program_path("lost_stderr"), {{kOmpt}, kTalkative, {"again"}}).outcome.err;
    EXPECT_NE(std::string::npos, said.find("neither enabled nor disabled")) << said;
    EXPECT_NE(std::string::npos, said.find("no tool is looked for")) << said;
}

TEST(LostStderr, EndsNobodyWhereNobodyReads) {
    const Recorded run =
        run_recorded(program_path("lost_stderr"), {{kOmpt}, kTalkative, {"unread"}});
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ("still there 2\n", run.outcome.out);
}

// With it libgomp would begin its devices, and load a driver where there is one.
TEST(Start, BridgeLetsNobodyOpenDevices) {
    const std::map<std::string, std::string> shows = {{"LD_DEBUG", "libs"}};
    const std::string bridge = std::string(OCB_LIBGOMP_LIBRARIES) + "/libomp-collector-bridge.so.0";
    const std::string said =
        run_recorded(program_path("fixed"), {{kOmpt, bridge}, shows, {}}).outcome.err;
    EXPECT_NE(std::string::npos, said.find("libomp-collector-bridge")) << said;
    EXPECT_EQ(std::string::npos, said.find("libgomp-plugin")) << said;
    // Any other tool is told the number.
    const std::string told =
        run_recorded(program_path("fixed"), {{kOmpt, kRecorder}, shows, {}}).outcome.err;
    EXPECT_NE(std::string::npos, told.find("libgomp-plugin")) << told;
    const std::string behind =
        run_recorded(program_path("fixed"), {{kOmpt, bridge, kRecorder}, shows, {}}).outcome.err;
    EXPECT_NE(std::string::npos, behind.find("libgomp-plugin")) << behind;
}

TEST(Start, NothingHappensWithoutOpenMp) {
    const Recorded run = run_recorded(program_path("serial"), {{kOmpt, kRecorder}, {}, {}});
    EXPECT_TRUE(run.outcome.succeeded());
    EXPECT_EQ("serial\n", run.outcome.out);
    EXPECT_EQ("", run.outcome.err);
    EXPECT_TRUE(run.counts.empty());
}

// A tool that registers no event of tasks and asks which task it is in.
TEST(AskedTasks, AreKnown) {
    const Recorded run = run_recorded(program_path("asked_tasks"), {{kOmpt}, {}, {}});
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ("asked 3140, created 0\n", run.outcome.out);
}
TEST(AskedTasks, MayBeToldFromTheMiddleOfATaskOn) {
    const Recorded run = run_recorded(program_path("asked_tasks"), {{kOmpt}, {}, {"late"}});
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ("asked 3140, created 441\n", run.outcome.out);
}

// libgomp gets a function of ours in their place, with and without marks. Those of a library are
// gone with it.
TEST(TaskFunctions, AreCalledWhateverWasAtTheirAddress) {
    const std::vector<std::string> libraries = {program_path("task_functions_1.so"),
                                                program_path("task_functions_2.so")};
    const std::string right = "functions 657920\nlibraries 100 200 100 200, at one address\n"
                              "child 657920\nparent 657920, 0\n";
    const Recorded asked =
        run_recorded(program_path("task_functions_asked"), {{kOmpt}, {}, libraries});
    EXPECT_EQ(right, asked.outcome.out) << asked.outcome.describe();
    Command launched;
    launched.arguments = {OCB_LIBGOMP_LAUNCHER, "-o", "/dev/null", "--",
                          program_path("task_functions")};
    launched.arguments.insert(launched.arguments.end(), libraries.begin(), libraries.end());
    const Outcome outcome = run(launched);
    EXPECT_EQ(right, outcome.out) << outcome.describe();
}

TEST(Aside, OnLlvmsRuntimeItsOwnOmptServes) {
    const std::string libomp = OCB_LIBGOMP_LIBOMPS "/19/lib/libomp.so.5";
    if (!std::filesystem::exists(libomp)) {
        GTEST_SKIP() << libomp << " is not there; tests/run.sh fetches it";
    }
    const Recorded run = run_recorded(program_path("fixed"), {{kOmpt, libomp, kRecorder}, {}, {}});
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_FALSE(run.counts.empty());
    EXPECT_EQ(1, run.counts.at("llvm").first);
    EXPECT_EQ(102, run.counts.at("parallel_begin").first);
}

TEST(Aside, LibgompWithOmptIsLeftAlone) {
    const Recorded run =
        run_recorded(program_path("one_region"),
                     {{kOmpt, OCB_LIBGOMP_OWN_OMPT, kRecorder}, {{"OMP_TOOL_LIBRARIES", "x"}}, {}});
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ("own\n1\n", run.outcome.out);
    EXPECT_TRUE(run.counts.empty());
}

// gcc 17's in development: it has omp_control_tool, which answers that there is no tool, and
// barriers whose calls have their kind.
TEST(Later, LibgompWithoutOmptIsServed) {
    const Recorded alone =
        run_recorded(program_path("barrier_kinds"), {{OCB_LIBGOMP_LATER}, {}, {}});
    ASSERT_EQ("1 0\n", alone.outcome.out) << alone.outcome.describe();
    const Recorded run = run_recorded(program_path("barrier_kinds"),
                                      {{kOmpt, OCB_LIBGOMP_LATER, kRecorder}, {}, {}});
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ(alone.outcome.out, run.outcome.out);
    ASSERT_FALSE(run.counts.empty());
    EXPECT_EQ(1, run.counts.at("parallel_begin").first);
    // OMPT's kinds: implicit_parallel, implicit_workshare, explicit, implementation.
    EXPECT_EQ(std::make_pair(1L, 1L), run.counts.at("sync:9"));
    EXPECT_EQ(std::make_pair(2L, 2L), run.counts.at("sync:8"));
    EXPECT_EQ(std::make_pair(2L, 2L), run.counts.at("sync:3"));
    EXPECT_EQ(std::make_pair(1L, 1L), run.counts.at("sync:4"));
    EXPECT_EQ(0, run.counts.at("misfits").first);
}

// Its constructs whose ends have calls.
TEST(Later, EndsOfConstructsAreExact) {
    const Recorded alone =
        run_recorded(program_path("construct_ends"), {{OCB_LIBGOMP_LATER}, {}, {}});
    ASSERT_EQ("6\n", alone.outcome.out) << alone.outcome.describe();
    const Recorded run =
        run_recorded(program_path("construct_ends"),
                     {{kOmpt, OCB_LIBGOMP_LATER, kRecorder}, {{"OCB_RECORD_ENDS", "1"}}, {}});
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ(alone.outcome.out, run.outcome.out);
    ASSERT_FALSE(run.counts.empty());
    // OMPT's types: loop, single_executor, distribute, scope.
    EXPECT_EQ(std::make_pair(2L, 2L), run.counts.at("work:1"));
    EXPECT_EQ(std::make_pair(1L, 1L), run.counts.at("work:3"));
    EXPECT_EQ(std::make_pair(1L, 1L), run.counts.at("work:6"));
    EXPECT_EQ(std::make_pair(2L, 2L), run.counts.at("work:8"));
    EXPECT_EQ(std::make_pair(1L, 1L), run.counts.at("masked"));
    EXPECT_EQ(std::make_pair(1L, 1L), run.counts.at("reduction"));
    EXPECT_EQ(std::make_pair(5L, 7L + 8 + 9), run.counts.at("dispatch"));
    EXPECT_EQ(0, run.counts.at("misfits").first);
    // A libgomp without these calls never reports them.
    const Recorded before =
        run_recorded(program_path("fixed"), {{kOmpt, kRecorder}, {{"OCB_RECORD_ENDS", "1"}}, {}});
    EXPECT_EQ(0U, before.counts.count("masked") + before.counts.count("dispatch"));
}

// The tool's start waits for the dynamic linker, whose lock a library's constructor holds, which
// waits for the tool's start: no end without a bound.
TEST(Start, EndsBesideALibrarysConstructor) {
    const std::string plugin = program_path("starts_apart.so");
    const Recorded region =
        run_recorded(program_path("starts_apart"), {{kOmpt}, {}, {"region", plugin}});
    EXPECT_TRUE(region.outcome.succeeded()) << region.outcome.describe();
    EXPECT_EQ("members 2\nfirst 2\nfirst 2\n", region.outcome.out);
    const Recorded start =
        run_recorded(program_path("starts_apart"), {{kOmpt}, {}, {"start", plugin}});
    EXPECT_TRUE(start.outcome.succeeded()) << start.outcome.describe();
    EXPECT_EQ("initialise -1\nfirst 2\nfirst 2\n", start.outcome.out);
}

// Sessions begin and end while the objects that they are to see come and go. At last all is seen.
TEST(Start, BesideDlclose) {
    const LibgompRun with{{kOmpt, OCB_LIBGOMP_LIBRARIES "/libomp-collector-bridge.so"},
                          {{"OMP_WAIT_POLICY", "passive"}},
                          {program_path("plugin.so"), "400"}};
    for (int i = 0; i < 5; ++i) {
        const Recorded run = run_recorded(program_path("closes"), with);
        ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
        EXPECT_EQ("members 4010, odd answers 0, forks at last 5\n", run.outcome.out)
            << run.outcome.describe();
    }
}

// A program without OpenMP opens plugins that have it, each visible to itself only.
TEST(Plugins, RuntimeThatComesLaterIsObserved) {
    const LibgompRun plain{{}, {}, {program_path("plugin.so")}};
    LibgompRun watched = plain;
    watched.preload = {kOmpt, kRecorder};
    const Recorded alone = run_recorded(program_path("host"), plain);
    const Recorded run = run_recorded(program_path("host"), watched);
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ("20\n20\n20\n", alone.outcome.out);
    EXPECT_EQ(alone.outcome.out, run.outcome.out);
    ASSERT_FALSE(run.counts.empty());
    EXPECT_EQ(30, run.counts.at("parallel_begin").first);
    EXPECT_EQ(0, run.counts.at("misfits").first);
}

TEST(Plugins, EachHasItsOwnCopyOfTheRuntime) {
    const LibgompRun plain{{}, {}, {program_path("plugin.so"), program_path("plugin_of_copy.so")}};
    LibgompRun watched = plain;
    watched.preload = {kOmpt, kRecorder};
    LibgompRun without_tool = plain;
    without_tool.preload = {kOmpt};
    const Recorded alone = run_recorded(program_path("host"), plain);
    const Recorded run = run_recorded(program_path("host"), watched);
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ("20\n30\n20\n30\n20\n30\n", alone.outcome.out);
    EXPECT_EQ(alone.outcome.out, run.outcome.out);
    EXPECT_EQ(alone.outcome.out, run_recorded(program_path("host"), without_tool).outcome.out);
    ASSERT_FALSE(run.counts.empty());
    EXPECT_EQ(60, run.counts.at("parallel_begin").first);
    EXPECT_EQ(1 + 1 + 2, run.counts.at("thread_begin").first);
    EXPECT_EQ(0, run.counts.at("misfits").first);
}

} // namespace
} // namespace ocb_test
