// SPDX-License-Identifier: Apache-2.0
//
// names_test.cpp - the libraries that old collectors open by name (compat/names/): there is one
// bridge however many of them come, and TAU's symbol gives the outlined function of a region where
// it can be known, and NULL elsewhere. What is right is read from the program's symbol table by nm.
#include "loading.h"
#include "openmp_test.h"

#include "omp_collector_api.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace ocb_test {
namespace {

TEST(Names, AreLinkedAsAVersionedLibraryIs) {
    namespace fs = std::filesystem;
    EXPECT_EQ("libopenmp.so.1", fs::read_symlink(kLibraries + "/libopenmp.so"));
    EXPECT_EQ("libopenmp.so.1.0", fs::read_symlink(kLibraries + "/libopenmp.so.1"));
    for (const std::string name : {"libopenmp.so.1", "libTAU-gomp.so"}) {
        Command command;
        command.arguments = {"/usr/bin/readelf", "-W", "-d",
                             std::string(kLibraries).append("/").append(name)};
        const Outcome outcome = run(command);
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        for (const std::string &line :
             {"(SONAME)             Library soname: [" + name + "]",
              std::string("(NEEDED)             Shared library: [libomp-collector-bridge.so.0]"),
              std::string("(RUNPATH)            Library runpath: [$ORIGIN:$ORIGIN/..]")}) {
            EXPECT_NE(std::string::npos, outcome.out.find(line)) << line << "\n" << outcome.out;
        }
    }
}

class NamesOn : public OpenmpTest {};
INSTANTIATE_TEST_SUITE_P(On, NamesOn, testing::ValuesIn(kOldAndNew), runtime_name);

// The bridge behind both names, and once more by its own: one session.
TEST_P(NamesOn, BringOneBridge) {
    Options options;
    options.preload_only({kTauGomp, kOpenmp, kBridge, kCollector});
    ASSERT_NO_FATAL_FAILURE(run(
        "../../../integration/programs/" + name_of(GetParam().compiler) + "/two_regions", options));
    EXPECT_EQ(1U, events_of(log().threads[0], OMP_EVENT_FORK).size() / 2);
    EXPECT_EQ("", outcome().err);
}

// As TAU opens them, before the first OpenMP call.
TEST_P(NamesOn, MayBeOpenedByName) {
    for (const std::string name : {kOpenmp, "libopenmp.so.1", kTauGomp}) {
        Options options;
        options.preload_only({kCollector});
        options.environment["OCB_TEST_START"] = "program";
        options.arguments = {"global", name};
        ASSERT_NO_FATAL_FAILURE(run("early_load", options));
        EXPECT_EQ("START 0 0\n", outcome().out);
        EXPECT_EQ(1U, events_of(log().threads[0], OMP_EVENT_FORK).size());
        EXPECT_EQ(1U, events_of(log().threads[0], OMP_EVENT_JOIN).size());
    }
}

struct Symbol {
    std::uint64_t begin = 0, size = 0;
    std::string name;
};

std::vector<Symbol> functions_of(const std::string &program) {
    Command command;
    command.arguments = {"/usr/bin/nm", "-S", "--defined-only", program};
    const Outcome outcome = run(command);
    std::vector<Symbol> functions;
    std::istringstream in(outcome.out);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string begin, size, type, name;
        if (words >> begin >> size >> type >> name && (type == "t" || type == "T")) {
            functions.push_back(
                {std::stoull(begin, nullptr, 16), std::stoull(size, nullptr, 16), name});
        }
    }
    return functions;
}

const Symbol *function_at(const std::vector<Symbol> &functions, std::uint64_t address) {
    for (const Symbol &function : functions) {
        if (address >= function.begin && address < function.begin + function.size) {
            return &function;
        }
    }
    return nullptr;
}

struct Region {
    std::string name;
    std::uint64_t in_fork = 0, code = 0, fork_address = 0;
    std::string agreement;
};

std::vector<Region> regions_in(const std::string &out) {
    std::vector<Region> regions;
    std::istringstream in(out);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        Region region;
        if (words >> region.name >> std::hex >> region.in_fork >> region.code >>
            region.fork_address >> region.agreement) {
            regions.push_back(region);
        }
    }
    return regions;
}

struct OutlinedRun {
    Outcome outcome;
    std::vector<Region> regions;
    std::vector<Symbol> functions;
};

OutlinedRun run_outlined(const Runtime &runtime, Options options) {
    OutlinedRun result;
    options.environment["OCB_FRONT"] = "on"; // the names bring the front
    result.outcome = run_program(OCB_TEST_PROGRAM_FOLDER, "outlined", runtime, options).outcome;
    result.regions = regions_in(result.outcome.out);
    result.functions =
        functions_of(OCB_TEST_PROGRAM_FOLDER "/" + name_of(runtime.compiler) + "/outlined");
    return result;
}

const std::set<std::string> kRegionNames = {"parallel", "dynamic", "sections",
                                            "inner",    "outer",   "arguments"};

// The name comes in front of the runtime: the region's function, exactly, on every thread.
TEST_P(NamesOn, GiveTheOutlinedFunction) {
    for (const char *name : {kOpenmp, kTauGomp}) {
        Options options;
        options.preload_only({name});
        if (is_gcc()) { // libomp behind it, where run_program would put it in front
            options.without_libomp = true;
            options.preload_only({name, kLibomp});
            options.environment["LD_LIBRARY_PATH"] = OCB_TEST_LIBOMP_FOLDER "/" +
                                                     std::to_string(GetParam().libomp) +
                                                     "/lib:" + kLibraries;
        }
        const OutlinedRun run = run_outlined(GetParam(), options);
        ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
        EXPECT_EQ("", run.outcome.err);
        EXPECT_NE(std::string::npos, run.outcome.out.find("sum 408\nserial 0\n"))
            << run.outcome.out;
        std::set<std::string> seen;
        std::set<std::uint64_t> functions;
        for (const Region &region : run.regions) {
            seen.insert(region.name);
            functions.insert(region.in_fork);
            const Symbol *function = function_at(run.functions, region.code);
            ASSERT_NE(nullptr, function) << region.name;
            EXPECT_EQ(function->begin, region.in_fork)
                << region.name << " runs " << function->name << "\n"
                << run.outcome.out;
            EXPECT_NE(std::string::npos, function->name.find(is_gcc() ? "_omp_fn" : "omp_outlined"))
                << function->name;
            EXPECT_EQ("same", region.agreement) << region.name;
            // Where the fork call stands is another matter, in the function around it.
            const Symbol *around = function_at(run.functions, region.fork_address);
            ASSERT_NE(nullptr, around) << region.name;
            EXPECT_NE(function->begin, around->begin) << region.name;
        }
        EXPECT_EQ(kRegionNames, seen) << run.outcome.out;
        EXPECT_EQ(kRegionNames.size(), functions.size()) << "each has its own function";
    }
}

// The order plays no part: calls are bound to the front wherever it is.
TEST_P(NamesOn, GiveTheFunctionBehindTheRuntimeToo) {
    Options options;
    options.preload_only(is_gcc() ? std::vector<std::string>{kOpenmp}
                                  : std::vector<std::string>{kLibomp, kOpenmp});
    const OutlinedRun run = run_outlined(GetParam(), options);
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_EQ(kRegionNames.size(), run.regions.size()) << run.outcome.out;
    for (const Region &region : run.regions) {
        const Symbol *function = function_at(run.functions, region.code);
        ASSERT_NE(nullptr, function) << region.name;
        EXPECT_EQ(function->begin, region.in_fork) << region.name << "\n" << run.outcome.out;
        EXPECT_NE(0U, region.fork_address) << region.name;
        EXPECT_EQ("same", region.agreement) << region.name;
    }
}

struct EventCounts {
    int known = 0, unknown = 0, none = 0, wrong = 0;
};

std::map<int, EventCounts> counts_by_event(const std::string &out) {
    std::map<int, EventCounts> counts;
    std::istringstream in(out);
    std::string word;
    for (int event = 0; in >> event;) {
        EventCounts &row = counts[event];
        in >> word >> row.known >> word >> row.unknown >> word >> row.none >> word >> row.wrong;
    }
    return counts;
}

// TAU names a worker's timer in END_IDLE and again in BEGIN_IDLE, and a region's in FORK and JOIN.
void expect_regions_code(const Runtime &runtime, const char *idle_events) {
    Options options;
    options.has_front = true;
    options.preload_only({kBridge});
    options.environment["OCB_IDLE_EVENTS"] = idle_events;
    const bool is_gcc = runtime.compiler == Compiler::kGcc;
    const Outcome outcome =
        run_program(OCB_TEST_PROGRAM_FOLDER, "region_code", runtime, options).outcome;
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    std::map<int, EventCounts> counts = counts_by_event(outcome.out);
    for (const auto &[event, row] : counts) {
        EXPECT_EQ(0, row.wrong) << outcome.out;
        // clang calls the function of a region of one thread itself: its address is known.
        const bool may_be_unknown = !is_gcc && (event == OMP_EVENT_FORK || event == OMP_EVENT_JOIN);
        EXPECT_EQ(may_be_unknown ? 3 : 0, row.unknown) << event << "\n" << outcome.out;
    }
    EXPECT_EQ(is_gcc ? 9 : 6, counts[OMP_EVENT_JOIN].known) << outcome.out;
    EXPECT_EQ(9, counts[OMP_EVENT_THR_END_IDLE].known) << outcome.out;
    // Where they are deferred, the last ones would come at the next region.
    EXPECT_LE(6, counts[OMP_EVENT_THR_BEGIN_IDLE].known) << outcome.out;
}
TEST_P(NamesOn, KnowTheRegionsCodeInBothEventsOfAPair) {
    expect_regions_code(GetParam(), "prompt");
    expect_regions_code(GetParam(), "deferred");
}

// Without a front nobody knows functions; the symbol is there, and the address is known.
TEST_P(NamesOn, AreNotNeededForTausSymbol) {
    Options options;
    options.preload_only({kBridge});
    const Outcome outcome =
        run_program(OCB_TEST_PROGRAM_FOLDER, "region_code", GetParam(), options).outcome;
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    for (const auto &[event, row] : counts_by_event(outcome.out)) {
        EXPECT_EQ(0, row.known) << event;
        EXPECT_EQ(0, row.wrong) << event;
    }
}

// A plugin that brings its own runtime is served by that one, though the name stands in front.
TEST(NamesBefore, APluginsOwnRuntime) {
    for (const char *compiler : {"clang", "gcc"}) {
        const Runtime runtime{14, Compiler::kGcc};
        Options options;
        options.preload_only({kTauGomp, kCollector});
        options.without_libomp = true;
        options.environment["LD_LIBRARY_PATH"] = OCB_TEST_LIBOMP_FOLDER "/14/lib:" + kLibraries;
        options.arguments = {std::string(OCB_TEST_PROGRAM_FOLDER) + "/" + compiler + "/plugin.so"};
        const ProgramRun run = run_program(OCB_TEST_PROGRAM_FOLDER, "host", runtime, options);
        EXPECT_TRUE(run.outcome.succeeded()) << compiler << "\n" << run.outcome.describe();
        EXPECT_EQ("4\n4\n", run.outcome.out) << compiler;
    }
}

#ifdef __x86_64__
// The front is there from the process's begin, the bridge comes when the runtime loads its tool.
TEST(LateBridge, IsFoundByTheFront) {
    for (const Runtime &runtime : {Runtime{14, Compiler::kClang}, Runtime{19, Compiler::kClang},
                                   Runtime{14, Compiler::kGcc}, Runtime{19, Compiler::kGcc}}) {
        Options options;
        options.has_front = true;
        options.preload_only({});
        options.environment["OMP_TOOL_LIBRARIES"] = kBridge;
        const ProgramRun run =
            run_program(OCB_TEST_PROGRAM_FOLDER, "late_bridge", runtime, options);
        EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
        EXPECT_EQ("START 0, marked 1, noted 1\n", run.outcome.out) << name_of(runtime);
        EXPECT_EQ("", run.outcome.err);
        // Without the front.
        options.has_front = false;
        const ProgramRun bare =
            run_program(OCB_TEST_PROGRAM_FOLDER, "late_bridge", runtime, options);
        EXPECT_EQ("START 0, marked 0, noted 0\n", bare.outcome.out) << name_of(runtime);
    }
}
#endif

} // namespace
} // namespace ocb_test
