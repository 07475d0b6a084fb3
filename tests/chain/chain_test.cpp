// SPDX-License-Identifier: Apache-2.0
// Another OMPT tool beside the bridge: a tool that writes down every callback and value must see
// the same alone and through the bridge, with and without a collector's session; libarcher must
// find the races it finds alone, and no others.
#include "openmp_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ocb_test {
namespace {

class Chain : public testing::TestWithParam<Runtime> {
  protected:
    // The recorder's lines of one run of the program.
    std::string record(const std::vector<std::string> &preload,
                       const std::map<std::string, std::string> &environment,
                       bool has_front = false, const std::string &program = "everything",
                       const std::string &output = "sum 98 x 85 control 43\n") {
        const TemporaryFolder temporary;
        Options options;
        options.preload = preload;
        options.has_front = has_front;
        options.environment = environment;
        options.environment["OCB_CHAIN_LOG"] = temporary.file("log");
        Command command;
        command.arguments = {std::string(OCB_CHAIN_PROGRAM_FOLDER) + "/" +
                             name_of(GetParam().compiler) + "/" + program};
        command.environment = environment_for(GetParam(), options);
        const Outcome outcome = run(command);
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_EQ(output, outcome.out);
        std::stringstream text;
        text << std::ifstream(temporary.file("log")).rdbuf();
        return text.str();
    }

    std::string record_alone() {
        std::string lines = record({kRecorder}, {});
        // Not a comparison of nothing with nothing.
        EXPECT_NE(std::string::npos, lines.find("parallel_begin"));
        EXPECT_NE(std::string::npos, lines.find("-- thread 1"));
        EXPECT_LT(150, std::count(lines.begin(), lines.end(), '\n'));
        return lines;
    }

    static constexpr const char *kRecorder = "libocb-recorder.so";
};

std::string runtime_name(const testing::TestParamInfo<Runtime> &info) {
    return name_of(info.param);
}

INSTANTIATE_TEST_SUITE_P(Runtimes, Chain, testing::ValuesIn(kOldAndNew), runtime_name);

TEST_P(Chain, NamedToolSeesTheSameWithoutASession) {
    EXPECT_EQ(record_alone(), record({kBridge}, {{"OCB_TOOL_LIBRARIES", kRecorder}}));
}

TEST_P(Chain, NamedToolSeesTheSameBesideACollector) {
    const TemporaryFolder temporary;
    const std::string log = temporary.file("collector");
    EXPECT_EQ(record_alone(), record({kBridge, kCollector}, {{"OCB_TOOL_LIBRARIES", kRecorder},
                                                             {"OCB_TEST_LOG", log},
                                                             {"OCB_TEST_SAMPLE_HZ", "1000"}}));
    const Log collected = read_log(log);
    EXPECT_TRUE(collected.complete);
    // Three regions of two threads, three serialized ones inside them, two of one thread.
    std::size_t forks = 0;
    for (const ThreadLog &thread : collected.threads) {
        forks += events_of(thread, 1).size();
    }
    EXPECT_EQ(8U, forks);
}

#ifdef OCB_HAS_FRONT
// Code addresses are the program's, though the front has made the calls.
TEST_P(Chain, NamedToolSeesTheSameWithTheFront) {
    EXPECT_EQ(record_alone(), record({kBridge}, {{"OCB_TOOL_LIBRARIES", kRecorder}}, true));
}

TEST_P(Chain, NamedToolSeesTheSameWithTheFrontBesideACollector) {
    const TemporaryFolder temporary;
    EXPECT_EQ(record_alone(), record({kBridge, kCollector},
                                     {{"OCB_TOOL_LIBRARIES", kRecorder},
                                      {"OCB_TEST_LOG", temporary.file("collector")},
                                      {"OCB_TEST_SAMPLE_HZ", "1000"}},
                                     true));
}
#endif

TEST_P(Chain, ToolBehindTheBridgeIsFound) {
    EXPECT_EQ(record_alone(), record({kBridge, kCollector, kRecorder}, {}));
}

// Where the runtime's own search would find it.
TEST_P(Chain, ToolBehindTheRuntimeIsFound) {
    if (name_of(GetParam()) == name_of(kLibgomp)) {
        GTEST_SKIP() << "libgomp-ompt stands in front of everything";
    }
    EXPECT_EQ(record_alone(), record({kBridge, kCollector, kLibomp, kRecorder}, {}));
}

// Its last events come: the implicit tasks' and threads' ends.
TEST_P(Chain, ToolThatEndsItselfSeesTheSame) {
    const auto run_program = [&](const std::vector<std::string> &preload) {
        return record(preload, {}, false, "ends_tool", "4 1 4\n");
    };
    const std::string alone = run_program({kRecorder});
    EXPECT_NE(std::string::npos, alone.find("thread_end")) << alone;
    EXPECT_EQ(alone, run_program({kBridge, kRecorder}));
    EXPECT_EQ(alone, run_program({kBridge, kCollector, kRecorder}));
}

TEST_P(Chain, ToolInTheRuntimesOwnListIsFound) {
    EXPECT_EQ(record_alone(), record({kBridge}, {{"OMP_TOOL_LIBRARIES", kRecorder}}));
}

TEST_P(Chain, NamedLibraryWithoutAToolIsPassedOver) {
    const std::string list = std::string(kCollector) + ":" + kRecorder;
    EXPECT_EQ(record_alone(), record({kBridge}, {{"OCB_TOOL_LIBRARIES", list}}));
}

TEST(ChainMessages, ALibraryThatCannotBeLoadedIsNamed) {
    Options options;
    options.preload = {kBridge};
    options.environment["OCB_TOOL_LIBRARIES"] = "libno-such-tool.so";
    Command command;
    command.arguments = {std::string(OCB_CHAIN_PROGRAM_FOLDER) + "/clang/everything"};
    command.environment = environment_for({14, Compiler::kClang}, options);
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded());
    const auto lines = lines_with_prefix(outcome.err, "[omp-collector-bridge]");
    ASSERT_EQ(1U, lines.size()) << outcome.err;
    EXPECT_NE(std::string::npos, lines[0].find("libno-such-tool.so")) << lines[0];
}

#ifdef OCB_ARCHER
// How often the thread sanitizer finds a race in a program of its own making.
long races(const std::vector<std::string> &preload,
           const std::map<std::string, std::string> &environment, bool is_racy) {
    Options options;
    options.preload = preload;
    options.environment = environment;
    // libomp's own locks are no matter of the program's (LLVM says so of libarcher).
    options.environment["TSAN_OPTIONS"] = "ignore_noninstrumented_modules=1";
    Command command;
    command.arguments = {std::string(OCB_CHAIN_PROGRAM_FOLDER) + "/tsan/race_free"};
    if (is_racy) {
        command.arguments.push_back("racy");
    }
    command.environment = environment_for({14, Compiler::kClang}, options);
    const Outcome outcome = run(command);
    EXPECT_EQ("done\n", outcome.out) << outcome.describe();
    return static_cast<long>(
        lines_with_prefix(outcome.err, "WARNING: ThreadSanitizer: data race").size());
}

TEST(Archer, FindsRacesThroughTheBridgeAndNoOthers) {
    const std::map<std::string, std::string> archer = {{"OCB_TOOL_LIBRARIES", OCB_ARCHER}};
    // The sanitizer alone does not know OpenMP's synchronisation.
    EXPECT_LT(0, races({kBridge}, {}, false));
    EXPECT_EQ(0, races({kBridge}, archer, false));
    EXPECT_LT(0, races({kBridge}, archer, true));
}
#endif

} // namespace
} // namespace ocb_test
