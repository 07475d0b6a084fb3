// SPDX-License-Identifier: Apache-2.0
//
// loading_test.cpp - how bridge, collector, runtime and other tools may meet: for each way what
// START answers, which events come, and what is said on stderr. One row each, on an old and on a
// new libomp. tests/integration/start_test.cpp has those that came first: START from a constructor,
// by whichever library is initialised first, and in a region; OMP_TOOL_LIBRARIES; linked shared;
// loaded too late; OMP_TOOL=disabled; libgomp alone; no OpenMP; another tool in front.
#include "loading.h"
#include "openmp_test.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace ocb_test {
namespace {

constexpr const char *kLogPrefix = "[omp-collector-bridge]";
constexpr const char *kPart = "libocb-loading-part.so";
constexpr const char *kArcher = "libarcher.so";
const std::string kClangPlugin = OCB_TEST_PROGRAM_FOLDER "/clang/plugin.so";
const std::string kGccPlugin = OCB_TEST_PROGRAM_FOLDER "/gcc/plugin.so";

struct Way {
    std::string name;
    std::string folder;
    std::string program;
    Compiler compiler;
    Options options;
    std::string start;              // every answer to START, in order
    std::string events;             // how many of each
    std::string out;                // of the program
    std::vector<std::string> words; // of the one line said; none: nothing is said
};

Options with(const std::vector<std::string> &preload,
             const std::map<std::string, std::string> &environment = {},
             const std::vector<std::string> &arguments = {}) {
    Options options;
    options.preload_only(preload);
    options.environment = environment;
    options.arguments = arguments;
    return options;
}

Options without_libomp(Options options) {
    options.without_libomp = true;
    return options;
}

constexpr const char *kTwoRegions = "2 FORK, 2 JOIN, 2 END_IDLE";
constexpr const char *kOneRegion = "1 FORK, 1 JOIN, 1 END_IDLE";
constexpr const char *kNone = "0 FORK, 0 JOIN, 0 END_IDLE";
constexpr const char *kTwoTeams = "team of 2\nteam of 2\n";

// clang-format off
const Way kWays[] = {
    {"BridgeBetweenTheCollectorsLibraries", kOfStartTests, "two_regions", Compiler::kClang, with({kPart, kBridge, kCollector}), "OK", kTwoRegions,
     kTwoTeams, {}},
    {"BridgeBetweenTheCollectorsLibraries", kOfStartTests, "two_regions", Compiler::kGcc, with({kPart, kBridge, kCollector}), "OK", kTwoRegions,
     kTwoTeams, {}},
    {"BridgeBehindTheCollectorsLibraries", kOfStartTests, "two_regions", Compiler::kClang, with({kPart, kCollector, kBridge}), "OK", kTwoRegions,
     kTwoTeams, {}},
    {"BridgeInFrontOfTheCollectorsLibraries", kOfStartTests, "two_regions", Compiler::kGcc, with({kBridge, kPart, kCollector}), "OK", kTwoRegions,
     kTwoTeams, {}},
    {"BridgeTwice", kOfStartTests, "two_regions", Compiler::kClang, with({kBridge, kCollector, kBridge}, {{"OMP_TOOL_LIBRARIES", kBridge}}), "OK",
     kTwoRegions, kTwoTeams, {}},
    {"LoopsThatTheCompilerDoesNotMark", kOwn, "unmarked_loop", Compiler::kClang, with({kBridge, kCollector}), "OK", kOneRegion, "1 499500\n", {}},
    {"ProgramWithAToolOfItsOwn", kOwn, "own_tool", Compiler::kClang, with({kBridge, kCollector}), "SEQUENCE_ERR", kNone, "own tool attached\n",
     {"another OMPT tool", "/own_tool;"}},
    // gcc exports the symbol of a program only where -rdynamic asks for it: no runtime finds the tool.
    {"ProgramWithAToolOfItsOwnThatNobodySees", kOwn, "own_tool", Compiler::kGcc, with({kBridge, kCollector}), "OK", kOneRegion, "", {}},
    {"AnotherToolBehind", kOfStartTests, "two_regions", Compiler::kClang, with({kBridge, kOtherTool, kCollector}), "OK", kTwoRegions, kTwoTeams, {}},
    {"AnotherToolBehind", kOfStartTests, "two_regions", Compiler::kGcc, with({kBridge, kCollector, kOtherTool}), "OK", kTwoRegions, kTwoTeams, {}},
    {"ArcherInTheSearchPath", kOfStartTests, "two_regions", Compiler::kClang, with({kBridge, kCollector}), "OK", kTwoRegions, kTwoTeams, {}},
    {"ArcherByName", kOfStartTests, "two_regions", Compiler::kClang, with({kBridge, kCollector}, {{"OMP_TOOL_LIBRARIES", kArcher}}), "OK",
     kTwoRegions, kTwoTeams, {}},
    {"LoadedBeforeTheFirstCallForEverybody", kOwn, "early_load", Compiler::kClang, with({kCollector}, kStartedByProgram, {"global", kBridge}), "", "1 FORK, 1 JOIN, 0 END_IDLE", "START 0 0\n", {}},
    {"LoadedBeforeTheFirstCallForEverybody", kOwn, "early_load", Compiler::kGcc, with({kCollector}, kStartedByProgram, {"global", kBridge}), "", "1 FORK, 1 JOIN, 0 END_IDLE", "START 0 0\n", {}},
    {"LoadedBeforeTheFirstCallForItself", kOwn, "early_load", Compiler::kClang, with({kCollector}, kStartedByProgram, {"local", kBridge}), "", "1 FORK, 1 JOIN, 0 END_IDLE", "START 0 0\n", {}},
    {"RuntimeComesWithAPlugin", kOwn, "host", Compiler::kClang, without_libomp(with({kBridge, kCollector}, {}, {kClangPlugin})), "OK", kTwoRegions,
     "4\n4\n", {}},
    {"RuntimeOfAPluginIsThereAtStart", kOwn, "host", Compiler::kGcc, without_libomp(with({kBridge, kCollector}, kStartedByProgram, {kClangPlugin,
     "start"})), "OK", kTwoRegions, "4\n4\n", {}},
    {"PluginOfLibgomp", kOwn, "host", Compiler::kGcc, without_libomp(with({kBridge, kCollector}, kStartedByProgram, {kGccPlugin, "start"})),
     "UNSUPPORTED", kNone, "4\n4\n", {"no tools interface", "libgomp.so.1;"}},
    // The plugin is bound to the runtime that the program has already.
    {"LibgompBesideLibomp", kOwn, "two_runtimes", Compiler::kClang, with({kBridge, kCollector}, kStartedByProgram, {kGccPlugin}), "OK", kTwoRegions,
     "4 4\n", {}},
    // Here each has its own.
    {"LibompBesideLibgomp", kOwn, "two_runtimes", Compiler::kGcc, without_libomp(with({kBridge, kCollector}, kStartedByProgram, {kClangPlugin})),
     "OK", kOneRegion, "4 4\n", {}},
    {"StartFromAThread", kOwn, "start_in_thread", Compiler::kClang, with({kBridge, kCollector}, kStartedByProgram), "OK", kOneRegion, "", {}},
    {"StartFromAThread", kOwn, "start_in_thread", Compiler::kGcc, with({kBridge, kCollector}, kStartedByProgram), "OK", kOneRegion, "", {}},
    {"FirstUseInsideStart", kOwn, "first_use_inside_start", Compiler::kClang, with({kBridge, kCollector}, kStartedByProgram), "OK", kOneRegion, "", {}},
    {"StartFromMain", kOfStartTests, "start_in_main", Compiler::kClang, with({kBridge, kCollector}, kStartedByProgram), "OK", kOneRegion, "", {}},
    {"StartFromMain", kOfStartTests, "start_in_main", Compiler::kGcc, with({kBridge, kCollector}, kStartedByProgram), "OK", kOneRegion, "", {}},
    // A team of one is a region like any other.
    {"OneThreadAtMost", kOfStartTests, "start_in_main", Compiler::kClang, with({kBridge, kCollector}, {{"OMP_THREAD_LIMIT", "1"}}), "OK,SEQUENCE_ERR",
     "1 FORK, 1 JOIN, 0 END_IDLE", "", {}},
    {"OneThreadAtMost", kOfStartTests, "start_in_main", Compiler::kGcc, with({kBridge, kCollector}, {{"OMP_THREAD_LIMIT", "1"}}), "OK,SEQUENCE_ERR",
     "1 FORK, 1 JOIN, 0 END_IDLE", "", {}},
    {"OneProcessor", kOwn, "one_cpu", Compiler::kClang, with({kBridge, kCollector}, kStartedByProgram), "OK", kOneRegion, "1 processors\nteam of 2\n",
     {}},
    {"OneProcessor", kOwn, "one_cpu", Compiler::kGcc, with({kBridge, kCollector}, kStartedByProgram), "OK", kOneRegion, "1 processors\nteam of 2\n",
     {}},
};
// clang-format on

struct Row {
    Way way;
    int libomp;
    std::string init; // OCB_INIT: answers and events are the same
};

std::vector<Row> rows() {
    std::vector<Row> all;
    for (const Way &way : kWays) {
        for (const int libomp : {14, 19}) {
            for (const char *init : {"auto", "lazy", "force"}) {
                all.push_back({way, libomp, init});
            }
        }
    }
    return all;
}

std::string row_name(const testing::TestParamInfo<Row> &info) {
    return info.param.way.name + "_" +
           name_of(Runtime{info.param.libomp, info.param.way.compiler}) + "_" + info.param.init;
}

void PrintTo(const Row &row, std::ostream *out) {
    *out << row.way.name << " on libomp " << row.libomp << ", " << row.init;
}

std::string answers_to_start(const Log &log) {
    std::string text;
    for (const ThreadLog &thread : log.threads) {
        for (const Record &record : thread.records) {
            if (record.kind == RecordKind::kRequest && record.number == OMP_REQ_START) {
                text += (text.empty() ? "" : ",") + error_name(record.ec);
            }
        }
    }
    return text;
}

std::string count_events(const Log &log) {
    std::string text;
    for (const int event : {OMP_EVENT_FORK, OMP_EVENT_JOIN, OMP_EVENT_THR_END_IDLE}) {
        std::size_t count = 0;
        for (const ThreadLog &thread : log.threads) {
            count += events_of(thread, event).size();
        }
        text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + event_name(event);
    }
    return text;
}

class Loading : public testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(In, Loading, testing::ValuesIn(rows()), row_name);

TEST_P(Loading, AnswerDeliverAndSay) {
    const Way &way = GetParam().way;
    const Runtime runtime{GetParam().libomp, way.compiler};
    const std::string version = std::to_string(runtime.libomp);
    Options options = way.options;
    const std::string archer = OCB_TEST_LIBOMP_FOLDER "/" + version + "/archer";
    ASSERT_TRUE(std::filesystem::exists(archer + "/" + kArcher))
        << archer << " is empty; tests/run.sh fills it";
    // libomp itself looks for libarcher.so, so that the whole search path is one with and one
    // without it; a plugin finds its libomp there in any case.
    std::string path =
        OCB_TEST_LIBOMP_FOLDER "/" + version + "/lib:" + std::string(OCB_TEST_LIBRARY_FOLDER);
    if (way.name.find("Archer") != std::string::npos) {
        path += ":" + archer;
    }
    options.environment["LD_LIBRARY_PATH"] = path;
    options.environment["OCB_INIT"] = GetParam().init;
    const ProgramRun run = run_program(way.folder, way.program, runtime, options);
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_TRUE(run.log.complete) << run.outcome.describe();
    EXPECT_EQ(way.start, answers_to_start(run.log)) << run.outcome.err;
    EXPECT_EQ(way.events, count_events(run.log)) << run.outcome.err;
    EXPECT_EQ(way.out, run.outcome.out);
    EXPECT_TRUE(run.log.late.empty());
    if (!options.without_libomp && way.program != "two_runtimes") {
        EXPECT_EQ("", verify_runtime(run, runtime));
    }
    EXPECT_EQ(std::string::npos, run.outcome.err.find("OMP: Warning #189")) << run.outcome.err;
    const auto said = lines_with_prefix(run.outcome.err, kLogPrefix);
    ASSERT_EQ(way.words.empty() ? 0U : 1U, said.size()) << run.outcome.err;
    for (const std::string &word : way.words) {
        EXPECT_NE(std::string::npos, said[0].find(word)) << "no " << word << " in: " << said[0];
    }
}

// OMP_TOOL_LIBRARIES brings the bridge when the runtime begins; a routine that asks for what needs
// no runtime does not make it begin.
class ByToolLibraries : public testing::TestWithParam<Runtime> {};
INSTANTIATE_TEST_SUITE_P(On, ByToolLibraries, testing::ValuesIn(kOldAndNew), runtime_name);

TEST_P(ByToolLibraries, TheSymbolComesWithTheFirstConstruct) {
    const Runtime &runtime = GetParam();
    const Outcome outcome =
        run_program(kOwn, "late_lookup", runtime,
                    with(is_libgomp(runtime) ? std::vector<std::string>{kLibgompOmpt}
                                             : std::vector<std::string>{},
                         {{"OMP_TOOL_LIBRARIES", kBridge}}))
            .outcome;
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ("at the begin of main: not there\nafter omp_get_thread_num: not there\n"
              "after a region: there\nSTART OK, 1 FORK, 4 threads\n",
              outcome.out);
}

// Linked statically: the program is its own collector. Nothing is preloaded but what gcc's programs
// need.
class Embedded : public testing::TestWithParam<Runtime> {};
INSTANTIATE_TEST_SUITE_P(On, Embedded, testing::ValuesIn(kOldAndNew), runtime_name);

Outcome run_embedded(const Runtime &runtime, const std::vector<std::string> &arguments) {
    Command command;
    command.arguments = {kOwn + "/" + name_of(runtime.compiler) + "/embedded"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    Options options;
    options.preload_only({});
    command.environment = environment_for(command.arguments[0], runtime, options);
    if (runtime.compiler == Compiler::kClang) {
        command.environment.erase("LD_PRELOAD");
    }
    return run(command);
}

TEST_P(Embedded, ServesAProgramThatHasItInside) {
    const Outcome outcome = run_embedded(GetParam(), {});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ("START 0\n2 threads, 1 FORK, 1 JOIN, region 1\n", outcome.out);
    EXPECT_EQ("", outcome.err);
}

std::vector<std::string> attached_runtimes(const std::string &err) {
    const std::string begin = std::string(kLogPrefix) + " info: attached to the OpenMP runtime: ";
    std::vector<std::string> files;
    for (const std::string &line : lines_with_prefix(err, begin)) {
        files.push_back(line.substr(begin.size(), line.rfind(" (") - begin.size()));
    }
    return files;
}

// A second bridge that is there from the beginning is the client tool of the one inside. Both name
// the runtime by its file, and each has a session. Where the program exports the one inside, as
// gcc's does here, the preloaded collector finds that one, too: the program comes second.
TEST_P(Embedded, SharesTheRuntimeWithAPreloadedBridge) {
    const Runtime &runtime = GetParam();
    const bool is_exported = runtime.compiler == Compiler::kGcc;
    Options options = with({kBridge, kCollector}, {{"OCB_LOG", "info"}});
    if (is_libgomp(runtime)) {
        options.preload->insert(options.preload->begin(), kLibgompOmpt);
    }
    const ProgramRun run = run_program(kOwn, "embedded", runtime, options);
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ(is_exported ? "START 4\n2 threads, 0 FORK, 0 JOIN, region 1\n"
                          : "START 0\n2 threads, 1 FORK, 1 JOIN, region 1\n",
              run.outcome.out);
    EXPECT_EQ("OK", answers_to_start(run.log));
    EXPECT_EQ(kOneRegion, count_events(run.log));
    const std::vector<std::string> files = attached_runtimes(run.outcome.err);
    ASSERT_EQ(2U, files.size()) << run.outcome.err;
    EXPECT_EQ(files[0], files[1]);
    const std::string name = is_libgomp(runtime) ? kLibgompOmpt : kLibomp;
    EXPECT_TRUE(files[0].ends_with("/" + name)) << files[0];
}

// One that comes behind the first region is too late.
TEST_P(Embedded, KeepsThePlace) {
    const Outcome outcome = run_embedded(GetParam(), {"libopenmp.so"});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ("START 0\n2 threads, 1 FORK, 1 JOIN, region 1\nanother bridge, START " +
                  std::to_string(OMP_ERRCODE_SEQUENCE_ERR) + "\n",
              outcome.out);
    const auto said = lines_with_prefix(outcome.err, kLogPrefix);
    ASSERT_EQ(1U, said.size()) << outcome.err;
    EXPECT_NE(std::string::npos, said[0].find("another OMPT tool")) << said[0];
}

} // namespace
} // namespace ocb_test
