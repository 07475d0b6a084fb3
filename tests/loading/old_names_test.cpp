// SPDX-License-Identifier: Apache-2.0
//
// old_names_test.cpp - the old names (compat/names/) alone, under collectors that look for their
// producer as TAU did: one with a weak __omp_collector_api of its own, one that opens the names
// before any runtime is there. And our libraries as they should not be preloaded: twice, in any
// order, from two folders, beside a bridge of another version.
#include "loading.h"
#include "openmp_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

constexpr const char *kClient = "libocb-weak-client.so";

constexpr const char *kHeard = "client api found START 0 FORK 2 named 2\n";

// A program of two regions, with these libraries preloaded before its runtime.
Outcome run_two_regions(const Runtime &runtime, Options options) {
    if (runtime.compiler == Compiler::kGcc) { // run_program would put it before them
        options.without_libomp = true;
        options.preload->emplace_back(is_libgomp(runtime) ? kLibgompOmpt : kLibomp);
        options.environment["LD_LIBRARY_PATH"] =
            OCB_TEST_LIBOMP_FOLDER "/" + std::to_string(runtime.libomp) + "/lib:" + kLibraries;
    }
    return run_program(OCB_TEST_START_PROGRAMS, "two_regions", runtime, options).outcome;
}
Outcome run_two_regions(const Runtime &runtime, const std::vector<std::string> &preload) {
    Options options;
    options.preload_only(preload);
    return run_two_regions(runtime, options);
}

void expect_heard(const Outcome &outcome, const std::string &heard) {
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(heard, outcome.err);
}

TEST(OldNames, ExportWhatCollectorsLookUp) {
    for (const char *name : {kOpenmp, kTauGomp}) {
        Command command;
        command.arguments = {"/usr/bin/nm", "-D", "--defined-only", kLibraries + "/" + name};
        const Outcome outcome = run(command);
        for (const char *symbol : {" T __omp_collector_api\n", " T Tau_get_gomp_proxy_address\n"}) {
            EXPECT_NE(std::string::npos, outcome.out.find(symbol)) << name << symbol;
        }
    }
}

class OldNamesOn : public testing::TestWithParam<Runtime> {};
INSTANTIATE_TEST_SUITE_P(On, OldNamesOn, testing::ValuesIn(kOldAndNew), runtime_name);

// The name stands before the client, as TAU's own scripts preload it; the bridge comes behind both.
TEST_P(OldNamesOn, ServeACollectorWithAWeakApiOfItsOwn) {
    for (const char *name : {kOpenmp, kTauGomp}) {
        expect_heard(run_two_regions(GetParam(), {name, kClient}), kHeard);
    }
}

TEST_P(OldNamesOn, ServeACollectorThatOpensThem) {
    for (const char *lookup : {"name", "default"}) {
        Options options;
        options.preload_only({kClient});
        options.environment["OCB_TEST_LOOKUP"] = lookup;
        const Outcome outcome = run_two_regions(GetParam(), options);
        // By the order of search it finds its own.
        const bool finds_own = std::string(lookup) == "default";
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        const std::string begin =
            finds_own ? "client api own START -1 FORK 0" : "client api found START 0 FORK 2";
        EXPECT_EQ(begin, outcome.err.substr(0, begin.size())) << outcome.err;
    }
}

// The launcher by itself: nothing of ours is in the search path.
TEST_P(OldNamesOn, AreFoundUnderTheLauncher) {
    const Runtime &runtime = GetParam();
    const std::string libomp = OCB_TEST_LIBOMP_FOLDER "/" + std::to_string(runtime.libomp) + "/lib";
    Command command;
    command.arguments = {OCB_TEST_LAUNCHER, "--collector", kLibraries + "/" + kClient};
    if (runtime.compiler == Compiler::kGcc && !is_libgomp(runtime)) {
        command.arguments.insert(command.arguments.end(),
                                 {"--runtime", libomp + "/" + std::string(kLibomp)});
    }
    command.arguments.insert(
        command.arguments.end(),
        {"--", OCB_TEST_START_PROGRAMS "/" + name_of(runtime.compiler) + "/two_regions"});
    command.environment = {{"OCB_TEST_LOOKUP", "name"},
                           {"OMP_NUM_THREADS", "2"},
                           {"LD_LIBRARY_PATH", is_libgomp(runtime) ? "" : libomp}};
    expect_heard(run(command), kHeard);
}

TEST_P(OldNamesOn, MakeNoDifferenceInAnyOrder) {
    std::vector<std::string> order = {kTauGomp, kOpenmp, kBridge, kFront};
    std::sort(order.begin(), order.end());
    do {
        std::vector<std::string> preload = order;
        preload.insert(preload.end(), order.begin(), order.end()); // and all of them once more
        preload.emplace_back(kClient);
        expect_heard(run_two_regions(GetParam(), preload), kHeard);
    } while (!HasFailure() && std::next_permutation(order.begin(), order.end()));
}

// A second copy of each, by its path.
TEST_P(OldNamesOn, MayComeFromTwoFolders) {
    const TemporaryFolder temporary;
    const std::string bridge = temporary.file(std::string(kBridge) + ".0");
    const std::string name = temporary.file(kTauGomp);
    fs::copy_file(kLibraries + "/" + kBridge, bridge);
    fs::copy_file(kLibraries + "/" + kTauGomp, name);
    for (const std::vector<std::string> &preload :
         std::vector<std::vector<std::string>>{{kTauGomp, name, kClient},
                                               {name, kTauGomp, kClient},
                                               {kTauGomp, bridge, kClient},
                                               {bridge, kTauGomp, kClient},
                                               {name, kBridge, bridge, kClient}}) {
        expect_heard(run_two_regions(GetParam(), preload), kHeard);
    }
}

// The collector begins before the process has a runtime, which comes with a plugin of its own.
TEST(OldNamesBefore, ARuntimeThatComesLater) {
    for (const int libomp : {14, 19}) {
        for (const std::vector<std::string> &preload :
             std::vector<std::vector<std::string>>{{kTauGomp, kClient}, {kClient}}) {
            Options options;
            options.preload_only(preload);
            options.environment["OCB_TEST_LOOKUP"] = preload.size() == 1 ? "name" : "default";
            options.arguments = {OCB_TEST_PROGRAM_FOLDER "/clang/plugin.so"};
            const Outcome outcome =
                run_program(OCB_TEST_PROGRAM_FOLDER, "host", {libomp, Compiler::kClang}, options)
                    .outcome;
            EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
            EXPECT_EQ("4\n4\n", outcome.out);
            const std::string heard = "client api found START 0 FORK 2";
            EXPECT_EQ(heard, outcome.err.substr(0, heard.size())) << outcome.err;
        }
    }
}

// Of another version, in the place of ours: it may have nothing but the Collector API, or not even
// that.
TEST(OldNamesBeside, ABridgeOfAnotherVersion) {
    const auto run_with = [](const char *folder) {
        const Runtime runtime{14, Compiler::kClang};
        Options options;
        options.preload_only({kTauGomp, kClient});
        options.environment["LD_LIBRARY_PATH"] =
            std::string(folder) + ":" OCB_TEST_LIBOMP_FOLDER "/14/lib:" + kLibraries;
        return run_two_regions(runtime, options);
    };
    expect_heard(run_with(OCB_TEST_OTHER_BRIDGE), "client api found START 3 FORK 0 named 0\n");
    expect_heard(run_with(OCB_TEST_EMPTY_BRIDGE),
                 "[omp-collector-bridge] error: libTAU-gomp.so finds no "
                 "libomp-collector-bridge.so.0 with a Collector API: no OpenMP events. Use "
                 "libraries of one version\n"
                 "client api found START -1 FORK 0 named 0\n");
}

} // namespace
} // namespace ocb_test
