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

struct Program {
    const char *name;
    const char *output;
};
constexpr Program kEverything = {"everything", "sum 98 x 85 control 43\n"};
constexpr Program kLoops = {"loops", "sum 14850\n"};
constexpr Program kEndsTool = {"ends_tool", "4 1 4\n"};

class ChainTest : public testing::TestWithParam<Runtime> {
  protected:
    // The recorder's lines of one run of the program, in the runtime's way.
    std::string record(Options options, const Program &program = kEverything) {
        const TemporaryFolder temporary;
        options.environment["OCB_CHAIN_LOG"] = temporary.file("log");
        Command command;
        command.arguments = {std::string(OCB_CHAIN_PROGRAM_FOLDER) + "/" +
                             name_of(GetParam().compiler) + "/" + program.name};
        command.environment = environment_for(command.arguments[0], GetParam(), options);
        const Outcome outcome = run(command);
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_EQ(program.output, outcome.out);
        std::stringstream text;
        text << std::ifstream(temporary.file("log")).rdbuf();
        return text.str();
    }

    // With these libraries alone, whatever the way.
    std::string record_with(const std::vector<std::string> &preload,
                            const std::map<std::string, std::string> &environment = {},
                            const Program &program = kEverything) {
        Options options;
        options.preload_only(preload);
        options.environment = environment;
        return record(options, program);
    }

    std::string record_alone() {
        std::string lines = record_with({kRecorder});
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

class Chain : public ChainTest {};
INSTANTIATE_TEST_SUITE_P(Runtimes, Chain, testing::ValuesIn(in_both_ways()), runtime_name);

// Code addresses are the program's, though a library of ours has made the calls.
TEST_P(Chain, NamedToolSeesTheSameWithoutASession) {
    Options options = with_idle_collector();
    options.environment["OCB_TOOL_LIBRARIES"] = kRecorder;
    EXPECT_EQ(record_alone(), record(options));
}

TEST_P(Chain, NamedToolSeesTheSameBesideACollector) {
    const TemporaryFolder temporary;
    const std::string log = temporary.file("collector");
    Options options;
    options.environment = {
        {"OCB_TOOL_LIBRARIES", kRecorder}, {"OCB_TEST_LOG", log}, {"OCB_TEST_SAMPLE_HZ", "1000"}};
    EXPECT_EQ(record_alone(), record(options));
    const Log collected = read_log(log);
    EXPECT_TRUE(collected.complete);
    // Three regions of two threads, three serialized ones inside them, two of one thread.
    std::size_t forks = 0;
    for (const ThreadLog &thread : collected.threads) {
        forks += events_of(thread, 1).size();
    }
    EXPECT_EQ(8U, forks);
}

// The collector has events of single constructs, and the program has none.
TEST_P(Chain, NamedToolSeesTheLoopsOfAProgramWithoutSingles) {
    const std::string alone = record_with({kRecorder}, {}, kLoops);
    EXPECT_NE(std::string::npos, alone.find("work")) << alone;
    const TemporaryFolder temporary;
    Options options;
    options.environment = {{"OCB_TOOL_LIBRARIES", kRecorder},
                           {"OCB_TEST_LOG", temporary.file("collector")}};
    EXPECT_EQ(alone, record(options, kLoops));
}

// Its last events come: the implicit tasks' and threads' ends.
TEST_P(Chain, ToolThatEndsItselfSeesTheSame) {
    const std::string alone = record_with({kRecorder}, {}, kEndsTool);
    EXPECT_NE(std::string::npos, alone.find("thread_end")) << alone;
    for (Options options : {with_idle_collector(), Options()}) {
        options.environment["OCB_TOOL_LIBRARIES"] = kRecorder;
        EXPECT_EQ(alone, record(options, kEndsTool));
    }
}

TEST_P(Chain, ToolInTheRuntimesOwnListIsFound) {
    Options options = with_idle_collector();
    options.environment["OMP_TOOL_LIBRARIES"] = kRecorder;
    EXPECT_EQ(record_alone(), record(options));
}

TEST_P(Chain, NamedLibraryWithoutAToolIsPassedOver) {
    Options options = with_idle_collector();
    options.environment["OCB_TOOL_LIBRARIES"] = std::string(kCollector) + ":" + kRecorder;
    EXPECT_EQ(record_alone(), record(options));
}

// The tool's place among the preloaded libraries is what this is about.
class ChainByPlace : public ChainTest {};
INSTANTIATE_TEST_SUITE_P(Runtimes, ChainByPlace, testing::ValuesIn(kOldAndNew), runtime_name);

TEST_P(ChainByPlace, ToolBehindTheBridgeIsFound) {
    EXPECT_EQ(record_alone(), record_with({kBridge, kCollector, kRecorder}));
}

TEST_P(ChainByPlace, ToolThatEndsItselfSeesTheSame) {
    const std::string alone = record_with({kRecorder}, {}, kEndsTool);
    EXPECT_EQ(alone, record_with({kBridge, kRecorder}, {}, kEndsTool));
    EXPECT_EQ(alone, record_with({kBridge, kCollector, kRecorder}, {}, kEndsTool));
}

// Where the runtime's own search would find it. In front of libgomp its OMPT stands first of all.
class ChainOnLibomp : public ChainTest {};
INSTANTIATE_TEST_SUITE_P(Runtimes, ChainOnLibomp, testing::ValuesIn(libomp_runtimes()),
                         runtime_name);

TEST_P(ChainOnLibomp, ToolBehindTheRuntimeIsFound) {
    EXPECT_EQ(record_alone(), record_with({kBridge, kCollector, kLibomp, kRecorder}));
}

TEST(ChainMessages, ALibraryThatCannotBeLoadedIsNamed) {
    Options options;
    options.preload_only({kBridge});
    options.environment["OCB_TOOL_LIBRARIES"] = "libno-such-tool.so";
    Command command;
    command.arguments = {std::string(OCB_CHAIN_PROGRAM_FOLDER) + "/clang/everything"};
    command.environment = environment_for(command.arguments[0], {14, Compiler::kClang}, options);
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded());
    const auto lines = lines_with_prefix(outcome.err, "[omp-collector-bridge]");
    ASSERT_EQ(1U, lines.size()) << outcome.err;
    EXPECT_NE(std::string::npos, lines[0].find("libno-such-tool.so")) << lines[0];
}

#ifdef OCB_ARCHER
// How often the thread sanitizer finds a race in a program of its own making.
long races(const Runtime &runtime, const std::map<std::string, std::string> &environment,
           bool is_racy) {
    Options options = with_idle_collector();
    options.environment.insert(environment.begin(), environment.end());
    // libomp's own locks are no matter of the program's (LLVM says so of libarcher).
    options.environment["TSAN_OPTIONS"] = "ignore_noninstrumented_modules=1";
    Command command;
    command.arguments = {std::string(OCB_CHAIN_PROGRAM_FOLDER) + "/tsan/race_free"};
    if (is_racy) {
        command.arguments.push_back("racy");
    }
    command.environment = environment_for(command.arguments[0], runtime, options);
    const Outcome outcome = run(command);
    EXPECT_EQ("done\n", outcome.out) << outcome.describe();
    return static_cast<long>(
        lines_with_prefix(outcome.err, "WARNING: ThreadSanitizer: data race").size());
}

// It lies beside libomp. Nobody has to name it: the bridge loads it as libomp does without a tool.
TEST(Archer, FindsRacesThroughTheBridgeAndNoOthers) {
    const std::map<std::string, std::string> named = {{"OCB_TOOL_LIBRARIES", OCB_ARCHER}};
    const std::map<std::string, std::string> none = {{"ARCHER_OPTIONS", "enable=0"}};
    constexpr Runtime kRuntime{14, Compiler::kClang};
    for (const Runtime &runtime : {kRuntime, bare(kRuntime)}) {
        SCOPED_TRACE(name_of(runtime));
        // The sanitizer alone does not know OpenMP's synchronisation.
        EXPECT_LT(0, races(runtime, none, false));
        for (const auto &way : {std::map<std::string, std::string>(), named}) {
            EXPECT_EQ(0, races(runtime, way, false));
            EXPECT_LT(0, races(runtime, way, true));
        }
    }
}
#endif

} // namespace
} // namespace ocb_test
