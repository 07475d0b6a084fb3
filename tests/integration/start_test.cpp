// SPDX-License-Identifier: Apache-2.0
//
// start_test.cpp - what START answers in real processes, with every kind of runtime and of company,
// what it says on stderr when it refuses, and what the bridge does in a process where nobody asks
// for it.
#include "openmp_test.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace ocb_test {
namespace {

constexpr const char *kLogPrefix = "[omp-collector-bridge]";
constexpr Runtime kGcc14{14, Compiler::kGcc};

class Start : public OpenmpTest {};

INSTANTIATE_TEST_SUITE_P(On, Start, testing::ValuesIn(in_both_ways()), runtime_name);

// Bridge and collector come in ways that are not the launcher's.
class StartByOtherWays : public OpenmpTest {};

INSTANTIATE_TEST_SUITE_P(On, StartByOtherWays, testing::ValuesIn(kOldAndNew), runtime_name);

ProgramRun run_two_regions(const Runtime &runtime, const Options &options) {
    return run_program(OCB_TEST_PROGRAM_FOLDER, "two_regions", runtime, options);
}

// Everything the log holds of the initial thread, as text.
std::string initial_lines(const ProgramRun &run) {
    return run.log.threads.empty() ? "no log\n" + run.outcome.describe()
                                   : lines(sequence_of(run.log.threads[0]));
}

// START was refused with `error`, nothing was delivered, the program ran as ever, and one line
// names the cause and the cure by all of the given words.
void expect_refusal(const ProgramRun &run, const std::string &error,
                    const std::vector<std::string> &words) {
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ("team of 2\nteam of 2\n", run.outcome.out);
    EXPECT_EQ(lines({"START " + error, "before: SEQUENCE_ERR", "body: SEQUENCE_ERR",
                     "between: SEQUENCE_ERR", "body: SEQUENCE_ERR", "after: SEQUENCE_ERR"}),
              initial_lines(run));
    const auto said = lines_with_prefix(run.outcome.err, kLogPrefix);
    ASSERT_EQ(1U, said.size()) << run.outcome.err;
    for (const std::string &word : words) {
        EXPECT_NE(std::string::npos, said[0].find(word)) << "no " << word << " in: " << said[0];
    }
}

// Each way to START: the answer is the same, and final.
constexpr const char *kInitModes[] = {"auto", "lazy", "force"};

void expect_refusal_in_each_mode(const Runtime &runtime, Options options,
                                 const std::vector<std::string> &words) {
    for (const char *init : kInitModes) {
        SCOPED_TRACE(init);
        options.environment["OCB_INIT"] = init;
        const ProgramRun run = run_two_regions(runtime, options);
        EXPECT_EQ("", verify_runtime(run, runtime));
        expect_refusal(run, "SEQUENCE_ERR", words);
    }
}

TEST_P(Start, IsRefusedWhereToolsAreDisabled) {
    Options options;
    options.environment["OMP_TOOL"] = "disabled";
    expect_refusal_in_each_mode(GetParam(), options, {"OMP_TOOL", "disabled"});
}

// By the specification blanks do not count; libomp warns and takes no tool.
TEST_P(Start, IsRefusedWhereTheRuntimeDoesNotUnderstandThatToolsAreEnabled) {
    Options options;
    options.environment["OMP_TOOL"] = " enabled ";
    if (is_libgomp()) {
        EXPECT_EQ(0U, initial_lines(run_two_regions(GetParam(), options)).find("START OK"));
        return;
    }
    expect_refusal_in_each_mode(GetParam(), options, {"OMP_TOOL= enabled  is set"});
}

TEST_P(Start, IsRefusedWhereAnotherToolTookThePlace) {
    Options options;
    options.preloaded_before = {kOtherTool};
    expect_refusal_in_each_mode(GetParam(), options, {"another", "tool", kOtherTool});
}

TEST_P(Start, BringsTheSameEventsInEachMode) {
    std::set<std::string> sequences;
    for (const char *init : kInitModes) {
        Options options;
        options.environment["OCB_INIT"] = init;
        ASSERT_NO_FATAL_FAILURE(run("two_regions", options));
        sequences.insert(lines(master()) + lines(worker()));
    }
    ASSERT_EQ(1U, sequences.size()) << testing::PrintToString(sequences);
    EXPECT_NE(std::string::npos, sequences.begin()->find("START OK"));
    EXPECT_NE(std::string::npos, sequences.begin()->find("FORK OVHD r2"));
}

TEST(StartWithoutOmpt, IsUnsupportedOnGnuLibgomp) {
    Options options;
    options.without_libomp = true;
    const ProgramRun run = run_two_regions(kGcc14, options);
    ASSERT_EQ(1U, run.log.libraries.size());
    EXPECT_EQ("libgomp.so.1",
              std::filesystem::path(run.log.libraries[0]).filename().string().substr(0, 12));
    expect_refusal(run, "UNSUPPORTED", {"libgomp", "libomp"});
}

#ifdef OCB_TEST_HAS_LIBGOMP_OMPT
TEST(StartOnLibgomp, IsTheSameNowAndLater) {
    Options lazy;
    lazy.environment["OCB_INIT"] = "lazy";
    for (const Runtime &runtime : in_both_ways({kLibgomp})) {
        const std::string forced_lines = initial_lines(run_two_regions(runtime, {}));
        EXPECT_NE(std::string::npos, forced_lines.find("START OK")) << forced_lines;
        EXPECT_NE(std::string::npos, forced_lines.find("FORK OVHD r2 in 0")) << forced_lines;
        EXPECT_EQ(forced_lines, initial_lines(run_two_regions(runtime, lazy)));
    }
}
#endif

TEST(StartWithoutOpenmp, IsAcceptedAndEveryThreadIsSerial) {
    Options options;
    options.without_libomp = true;
    const ProgramRun run = run_program(OCB_TEST_PROGRAM_FOLDER, "no_openmp", kGcc14, options);
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_TRUE(run.log.libraries.empty());
    EXPECT_EQ(lines({"START OK", "before: SERIAL 0 in 0", "after: SERIAL 0 in 0"}),
              initial_lines(run));
    ASSERT_EQ(1U, other_threads(run.log).size());
    EXPECT_EQ(lines({"thread: SERIAL 0"}), lines(sequence_of(*other_threads(run.log)[0])));
    EXPECT_EQ("", run.outcome.err);
}

TEST_P(StartByOtherWays, IsRefusedWhereTheBridgeIsLoadedAfterTheRuntimeBegan) {
    for (const char *init : kInitModes) {
        SCOPED_TRACE(init);
        // libgomp-ompt keeps no sign of it.
        if (is_libgomp() && init == std::string("lazy")) {
            continue;
        }
        Options options;
        options.arguments = {kBridge, kCollector};
        options.preload_only({});
        options.environment["OCB_INIT"] = init;
        const ProgramRun run =
            run_program(OCB_TEST_PROGRAM_FOLDER, "late_load", GetParam(), options);
        EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
        EXPECT_EQ("4\n", run.outcome.out);
        EXPECT_EQ("", verify_runtime(run, GetParam()));
        EXPECT_EQ(lines({"START SEQUENCE_ERR"}), initial_lines(run));
        const auto said = lines_with_prefix(run.outcome.err, kLogPrefix);
        ASSERT_EQ(1U, said.size()) << run.outcome.err;
        EXPECT_NE(std::string::npos, said[0].find("LD_PRELOAD")) << said[0];
    }
}

// The initialisation that START asks for reads OMP_NUM_THREADS before main has set it.
TEST_P(Start, InitialisesTheRuntimeAtOnceWhereItIsAskedTo) {
    Options options;
    options.environment["OCB_INIT"] = "force";
    ASSERT_NO_FATAL_FAILURE(run("set_environment", options));
    EXPECT_EQ("team of 2\n", outcome().out);
}

// libgomp reads its settings when it is loaded.
class StartOnLibomp : public OpenmpTest {};

INSTANTIATE_TEST_SUITE_P(On, StartOnLibomp, testing::ValuesIn(in_both_ways(libomp_runtimes())),
                         runtime_name);

TEST_P(StartOnLibomp, LeavesTheRuntimeToTheProgram) {
    ASSERT_NO_FATAL_FAILURE(run("set_environment"));
    EXPECT_EQ("team of 3\n", outcome().out);
    EXPECT_EQ(lines({
                  "START OK",
                  "before: SERIAL 0 in 0",
                  "FORK OVHD r1 in 0",
                  "body: WORK r1 in 0",
                  "BEGIN_IBAR IBAR r1 in 0",
                  "END_IBAR IBAR r1 in 0",
                  "JOIN OVHD r1 in 0",
              }),
              lines(master()));
    const auto workers = other_threads(log());
    ASSERT_EQ(2U, workers.size());
    for (const ThreadLog *thread : workers) {
        EXPECT_EQ(lines({
                      "BEGIN_IDLE IDLE 0",
                      "END_IDLE IDLE r1",
                      "body: WORK r1",
                      "BEGIN_IBAR IBAR r1",
                      "END_IBAR IBAR r1",
                      "BEGIN_IDLE IDLE 0",
                  }),
                  lines(sequence_of(*thread, name_regions(log()))));
    }
}

TEST_P(StartOnLibomp, LeavesTheProcessorsToTheProgram) {
    ASSERT_NO_FATAL_FAILURE(run("set_affinity"));
    EXPECT_EQ("team of 1\n", outcome().out);
    Options options;
    options.environment["OCB_INIT"] = "force";
    ASSERT_NO_FATAL_FAILURE(run("set_affinity", options));
    EXPECT_EQ("team of 2\n", outcome().out);
}

// The paths of the libraries in the order in which the dynamic linker called their constructors.
std::vector<std::string> constructor_order(const std::string &linker_output) {
    std::vector<std::string> order;
    std::istringstream in(linker_output);
    const std::string key = "calling init: ";
    for (std::string line; std::getline(in, line);) {
        const std::size_t place = line.find(key);
        if (place != std::string::npos) {
            order.push_back(std::filesystem::path(line.substr(place + key.size())).filename());
        }
    }
    return order;
}

// Which of two preloaded libraries is initialised first depends on their order; both must do.
TEST_P(StartByOtherWays, MayComeBeforeOrAfterTheConstructorsOfTheBridge) {
    std::set<bool> seen;
    std::set<std::string> sequences;
    for (const auto &preload :
         std::vector<std::vector<std::string>>{{kBridge, kCollector}, {kCollector, kBridge}}) {
        Options options;
        options.preload_only(preload);
        ASSERT_NO_FATAL_FAILURE(run("two_regions", options));
        sequences.insert(lines(master()) + lines(worker()));
        options.environment["LD_DEBUG"] = "files";
        ASSERT_NO_FATAL_FAILURE(run("two_regions", options));
        const auto order = constructor_order(outcome().err);
        const auto place = [&order](const std::string &name) {
            return std::find_if(order.begin(), order.end(), [&name](const std::string &file) {
                return file.rfind(name, 0) == 0;
            });
        };
        ASSERT_NE(order.end(), place(kBridge)) << outcome().err;
        ASSERT_NE(order.end(), place(kCollector)) << outcome().err;
        seen.insert(place(kCollector) < place(kBridge));
    }
    EXPECT_EQ((std::set<bool>{false, true}), seen);
    ASSERT_EQ(1U, sequences.size());
    EXPECT_NE(std::string::npos, sequences.begin()->find("END_IDLE IDLE r2"));
}

// OMP_TOOL_LIBRARIES is read by the runtime, which loads the bridge for itself alone; the collector
// finds it all the same once the runtime is initialised. In front of libgomp that is at the first
// construct, not at a question.
class StartByTheRuntime : public OpenmpTest {};

INSTANTIATE_TEST_SUITE_P(On, StartByTheRuntime, testing::ValuesIn(libomp_runtimes()), runtime_name);

TEST_P(StartByTheRuntime, FindsABridgeThatTheRuntimeLoaded) {
    Options options;
    options.preload_only({kCollector});
    options.environment["OCB_TEST_START"] = "program";
    options.environment["OMP_TOOL_LIBRARIES"] = kBridge;
    ASSERT_NO_FATAL_FAILURE(run("start_in_main", options));
    EXPECT_EQ(lines({
                  "START OK",
                  "FORK OVHD r1 in 0",
                  "body: WORK r1 in 0",
                  "BEGIN_IBAR IBAR r1 in 0",
                  "END_IBAR IBAR r1 in 0",
                  "JOIN OVHD r1 in 0",
                  "after: SERIAL 0 in 0",
              }),
              lines(master()));
}

TEST_P(StartByOtherWays, FindsABridgeThatTheProgramWasLinkedWith) {
    Options options;
    options.preload_only({});
    ASSERT_NO_FATAL_FAILURE(run("linked", options));
    EXPECT_EQ(lines({
                  "START OK",
                  "FORK OVHD r1 in 0",
                  "body: WORK r1 in 0",
                  "BEGIN_IBAR IBAR r1 in 0",
                  "END_IBAR IBAR r1 in 0",
                  "JOIN OVHD r1 in 0",
                  "after: SERIAL 0 in 0",
              }),
              lines(master()));
}

// What the spy noted, and how the program went.
struct Watched {
    Outcome outcome;
    std::multiset<std::string> notes;
};

Watched watch(const Runtime &runtime, Options options) {
    const TemporaryFolder temporary;
    const std::string path = temporary.file("spy");
    options.environment["OCB_TEST_SPY_LOG"] = path;
    options.preloaded_before = {kSpy};
    Watched watched;
    watched.outcome = run_two_regions(runtime, options).outcome;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        watched.notes.insert(line);
    }
    return watched;
}

TEST_P(Start, IsWhatCallbacksWaitFor) {
    const Watched without = watch(GetParam(), with_idle_collector());
    EXPECT_TRUE(without.outcome.succeeded()) << without.outcome.describe();
    EXPECT_EQ((std::multiset<std::string>{"attached 0"}), without.notes);

    // The spy sees them where there are any.
    const Watched with = watch(GetParam(), Options{});
    EXPECT_TRUE(with.outcome.succeeded()) << with.outcome.describe();
    EXPECT_EQ(1U, with.notes.count("attached 0"));
    EXPECT_EQ(1U, with.notes.count("set 3")) << "parallel_begin";
    EXPECT_EQ(1U, with.notes.count("set 7")) << "implicit_task";
    for (const std::string &note : with.notes) {
        EXPECT_NE(0U, note.rfind("clear", 0)) << note;
    }
}

TEST_P(Start, LeavesAProgramAloneThatNobodyStarts) {
    Options nothing;
    nothing.preload_only({});
    const Outcome without = run_two_regions(GetParam(), nothing).outcome;
    const Outcome with = run_two_regions(GetParam(), with_idle_collector()).outcome;
    EXPECT_EQ("team of 2\nteam of 2\n", without.out);
    EXPECT_EQ(without.out, with.out);
    EXPECT_EQ(without.err, with.err);
    EXPECT_EQ(without.exit_code, with.exit_code);
    EXPECT_EQ(0, with.exit_code);
}

} // namespace
} // namespace ocb_test
