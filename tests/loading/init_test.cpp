// SPDX-License-Identifier: Apache-2.0
//
// init_test.cpp - START leaves a runtime alone until the program uses it: what goes wrong in a
// process where it does not. Each on an old and on a new libomp.
#include "loading.h"
#include "openmp_test.h"

#include "omp_collector_api.h"

namespace ocb_test {
namespace {

constexpr const char *kStartingPlugin = "libocb-starting-plugin.so";

class Init : public testing::TestWithParam<Runtime> {};
INSTANTIATE_TEST_SUITE_P(On, Init,
                         testing::Values(Runtime{14, Compiler::kClang},
                                         Runtime{19, Compiler::kClang}, Runtime{14, Compiler::kGcc},
                                         Runtime{19, Compiler::kGcc}),
                         runtime_name);

// The first line of the collector's log: what START has answered.
std::string answer_to_start(const ProgramRun &run) {
    return run.log.threads.empty() || sequence_of(run.log.threads[0]).empty()
               ? "no log"
               : sequence_of(run.log.threads[0]).front();
}

// "OMP: Error #15" ends a process in which a second runtime of the family is initialised.
TEST_P(Init, LeavesTheRuntimeThatTheProgramDoesNotUse) {
    Options options;
    options.arguments = {std::string(OCB_TEST_LIBOMP_FOLDER) + "/16/lib/libomp.so.5"};
    const ProgramRun run = run_program(kOwn, "other_runtime", GetParam(), options);
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ("the other one runs\n", run.outcome.out);
    EXPECT_EQ("", run.outcome.err);
    EXPECT_EQ("START OK", answer_to_start(run));
}

// Only the runtime's initialisation shows that a tool in front hands the question on.
TEST_P(Init, ServesBehindAToolThatHandsOn) {
    for (const char *init : {"auto", "force"}) {
        Options options;
        options.preload_only({"libocb-handing-on.so", kBridge, kCollector});
        options.environment["OCB_INIT"] = init;
        const ProgramRun run =
            run_program(OCB_TEST_START_PROGRAMS, "two_regions", GetParam(), options);
        EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
        EXPECT_EQ("START OK", answer_to_start(run)) << run.outcome.err;
        EXPECT_EQ(2U, events_of(run.log.threads.at(0), OMP_EVENT_FORK).size());
        EXPECT_EQ("", run.outcome.err);
    }
}

// What a runtime leaves in shared memory stays where a process ends by _exit.
TEST_P(Init, LeavesNothingBehindInAProgramThatDoesNotUseOpenmp) {
    Options options;
    options.preload_only({kBridge}); // the fake collector has its own _exit
    const ProgramRun run = run_program(kOwn, "leaves_at_once", GetParam(), options);
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ("START 0\nleft nothing\n", run.outcome.out);
    // It is this file.
    options.arguments = {"use"};
    const ProgramRun user = run_program(kOwn, "leaves_at_once", GetParam(), options);
    EXPECT_EQ("START 0\nleft a file\n", user.outcome.out) << user.outcome.describe();
}

// The runtime in front of the bridge: a thread inside of its initialisation waits for the dynamic
// linker, which has called the constructor that START is sent from.
TEST_P(Init, StartInAConstructorWaitsForNobody) {
    for (const std::vector<std::string> &preload :
         {std::vector<std::string>{kLibomp, kBridge}, std::vector<std::string>{kBridge, kLibomp}}) {
        Options options;
        options.preload_only(preload);
        options.without_libomp = true; // as it stands above
        options.environment["LD_LIBRARY_PATH"] = OCB_TEST_LIBOMP_FOLDER "/" +
                                                 std::to_string(GetParam().libomp) +
                                                 "/lib:" + OCB_TEST_LIBRARY_FOLDER;
        options.arguments = {kStartingPlugin};
        const ProgramRun run = run_program(kOwn, "start_while_loading", GetParam(), options);
        EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
        EXPECT_EQ("START 0\n", run.outcome.out) << run.outcome.err;
        EXPECT_EQ("", run.outcome.err);
    }
}

// What START looks through is not taken away beside it. Freed memory is overwritten, so that a look
// at it is seen.
TEST(Start, LooksThroughWhatAnotherThreadCloses) {
    Options options;
    options.preload_only({kBridge});
    options.without_libomp = true;
    options.arguments = {OCB_TEST_LIBRARY_FOLDER "/libocb-handing-on.so"};
    options.environment["MALLOC_PERTURB_"] = "165";
    const ProgramRun run =
        run_program(kOwn, "closing_beside", Runtime{14, Compiler::kGcc}, options);
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ("all answered\n", run.outcome.out);
}

// What its parent has used looks for no tool again.
class StartInChild : public testing::TestWithParam<Runtime> {};
INSTANTIATE_TEST_SUITE_P(On, StartInChild,
                         testing::Values(Runtime{14, Compiler::kClang},
                                         Runtime{16, Compiler::kClang},
                                         Runtime{19, Compiler::kClang}, Runtime{19, Compiler::kGcc},
                                         kLibgomp),
                         runtime_name);

// Returns what is said on stderr.
std::string expect_in_child(const Runtime &runtime, const std::string &answer,
                            const Options &options) {
    const ProgramRun run = run_program(kOwn, "start_in_child", runtime, options);
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ(answer, run.outcome.out) << run.outcome.err;
    return run.outcome.err;
}

constexpr const char *kRefusedInChild = "START SEQUENCE_ERR, forks 0, members 1\n";

TEST_P(StartInChild, IsRefusedWhereTheRuntimeWasInitialisedBefore) {
    for (const char *init : {"auto", "lazy", "force"}) {
        SCOPED_TRACE(init);
        Options options;
        options.preload_only({});
        options.arguments = {OCB_TEST_LIBRARY_FOLDER "/" + std::string(kBridge)};
        options.environment["OCB_INIT"] = init;
        const std::string line = expect_in_child(GetParam(), kRefusedInChild, options);
        EXPECT_NE(std::string::npos, line.find("initialised before")) << line;
    }
}

// The bridge was there when the runtime asked, and declined.
TEST_P(StartInChild, IsRefusedWhereTheBridgeHasDeclined) {
    Options options;
    options.preload_only({kBridge});
    options.arguments = {kBridge};
    options.environment["OCB_ATTACH"] = "started";
    const std::string line = expect_in_child(GetParam(), kRefusedInChild, options);
    EXPECT_NE(std::string::npos, line.find("OCB_ATTACH=started")) << line;
}

// A child of a process that the bridge observes is observed.
TEST_P(StartInChild, IsAnsweredWhereTheBridgeIsAttached) {
    Options options;
    options.preload_only({kBridge});
    options.arguments = {kBridge};
    expect_in_child(GetParam(), "START OK, forks 1, members 1\n", options);
}

} // namespace
} // namespace ocb_test
