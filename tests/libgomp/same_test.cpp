// SPDX-License-Identifier: Apache-2.0
// What a program prints is the same whoever stands in front of libgomp, and what is reported of it
// is what libomp reports of the same program.
#include "libgomp_run.h"
#include "rows.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ocb_test {
namespace {

struct Way {
    const char *name;
    std::vector<std::string> preload;
    std::map<std::string, std::string> environment;
    bool has_tool;
};

const Way kWays[] = {
    {"no_tool", {OCB_LIBGOMP_OMPT}, {}, false},
    {"disabled", {OCB_LIBGOMP_OMPT, OCB_LIBGOMP_RECORDER}, {{"OMP_TOOL", "disabled"}}, false},
    {"empty_tool", {OCB_LIBGOMP_OMPT, OCB_LIBGOMP_RECORDER}, {{"OCB_RECORD_NOTHING", "1"}}, true},
    {"asking_tool", {OCB_LIBGOMP_OMPT, OCB_LIBGOMP_RECORDER}, {{"OCB_RECORD_ASKS", "1"}}, true},
    {"tool", {OCB_LIBGOMP_OMPT, OCB_LIBGOMP_RECORDER}, {}, true},
    {"tool_before", {OCB_LIBGOMP_RECORDER, OCB_LIBGOMP_OMPT}, {}, true},
};

class SameOutput : public testing::TestWithParam<std::tuple<const char *, bool>> {};

std::string case_name(const testing::TestParamInfo<SameOutput::ParamType> &info) {
    return std::string(std::get<0>(info.param)) + (std::get<1>(info.param) ? "_cancelling" : "");
}

INSTANTIATE_TEST_SUITE_P(
    Programs, SameOutput,
    testing::Combine(testing::Values("tasks", "constructs", "target", "exceptions", "fortran",
                                     "fixed", "old_entries", "kinds_of_regions", "kinds_of_loops",
                                     "kinds_of_mutexes", "kinds_of_tasks", "kinds_without_libomp"),
                     testing::Bool()),
    case_name);

// Returns in how many ways the program was run.
unsigned expect_same_in_each_way(const std::string &program, const LibgompRun &plain) {
    const Recorded alone = run_recorded(program, plain);
    EXPECT_TRUE(alone.outcome.succeeded()) << alone.outcome.describe();
    unsigned compared = 0;
    for (const Way &way : kWays) {
        SCOPED_TRACE(way.name);
        LibgompRun run = plain;
        run.preload = way.preload;
        run.environment.insert(way.environment.begin(), way.environment.end());
        const Recorded watched = run_recorded(program, run);
        EXPECT_TRUE(watched.outcome.succeeded()) << watched.outcome.describe();
        EXPECT_EQ(alone.outcome.out, watched.outcome.out);
        EXPECT_EQ(alone.outcome.err, watched.outcome.err);
        EXPECT_EQ("", watched.outcome.err);
        EXPECT_EQ(way.has_tool, !watched.counts.empty());
        if (way.has_tool) {
            EXPECT_EQ(0, watched.counts.at("misfits").first);
        }
        ++compared;
    }
    return compared;
}

TEST_P(SameOutput, AndEnd) {
    const auto [program, cancels] = GetParam();
    LibgompRun plain;
    plain.environment["OMP_CANCELLATION"] = cancels ? "true" : "false";
    expect_same_in_each_way(program_path(program), plain);
}

// The programs of the truth matrix, which print nothing: how they end.
TEST(Same, ProgramsOfTheTruthMatrix) {
    unsigned compared = 0;
    for (const TruthRow &row : kTruthRows) {
        SCOPED_TRACE(row.name);
        LibgompRun plain;
        plain.environment["OCB_TRUTH_MS"] = "2";
        const std::string environment = row.environment;
        if (const std::size_t equals = environment.find('='); equals != std::string::npos) {
            plain.environment[environment.substr(0, equals)] = environment.substr(equals + 1);
        }
        if (row.argument[0] != '\0') {
            plain.arguments = {row.argument};
        }
        compared += expect_same_in_each_way(
            std::string(OCB_LIBGOMP_TRUTH_PROGRAMS "/") + row.program, plain);
    }
    EXPECT_EQ(std::size(kTruthRows) * std::size(kWays), compared);
}

// A tool that wants something first in the middle of a region, after calls that went straight to
// libgomp: the same output, and from then on every region.
TEST(Late, ToolInTheMiddleOfARegion) {
    const Recorded alone = run_recorded(program_path("late"), {});
    ASSERT_TRUE(alone.outcome.succeeded()) << alone.outcome.describe();
    const Recorded watched =
        run_recorded(program_path("late"),
                     {{OCB_LIBGOMP_OMPT, OCB_LIBGOMP_RECORDER}, {{"OCB_RECORD_LATE", "1"}}, {}});
    EXPECT_TRUE(watched.outcome.succeeded()) << watched.outcome.describe();
    EXPECT_EQ(alone.outcome.out, watched.outcome.out);
    ASSERT_FALSE(watched.counts.empty());
    // Ten regions come after the call; what was open at it has an end at most.
    EXPECT_EQ(10, watched.counts.at("parallel_begin").first);
    EXPECT_EQ(10, watched.counts.at("parallel_end").first);
    EXPECT_EQ(30, watched.counts.at("implicit_task").first);
}

// Pairs, where nothing is cancelled.
TEST(Recorded, BeginsHaveEnds) {
    for (const char *program :
         {"tasks", "constructs", "exceptions", "fortran", "fixed", "old_entries"}) {
        SCOPED_TRACE(program);
        const Counts counts =
            run_recorded(program_path(program), {{OCB_LIBGOMP_OMPT, OCB_LIBGOMP_RECORDER}, {}, {}})
                .counts;
        ASSERT_FALSE(counts.empty());
        EXPECT_EQ(counts.at("parallel_begin").first, counts.at("parallel_end").first);
        EXPECT_EQ(counts.at("thread_begin").first, counts.at("thread_end").first);
        for (const char *name : {"implicit_task", "sync_region", "sync_wait", "work"}) {
            EXPECT_EQ(counts.at(name).first, counts.at(name).second) << name;
        }
        if (counts.count("mutex_acquired") != 0) {
            EXPECT_EQ(counts.at("mutex_acquired").first, counts.at("mutex_released").first);
        }
    }
}

TEST(Recorded, DependencesAreAsManyAsTheTaskHas) {
    const Recorded run = run_recorded(program_path("many_dependences"),
                                      {{OCB_LIBGOMP_OMPT, OCB_LIBGOMP_RECORDER}, {}, {}});
    EXPECT_EQ("2\n", run.outcome.out) << run.outcome.describe();
    ASSERT_EQ(1U, run.counts.count("dependences"));
    EXPECT_EQ(std::make_pair(2L, 1003L), run.counts.at("dependences"));
}

std::string libomp(const char *version) {
    return std::string(OCB_LIBGOMP_LIBOMPS "/") + version + "/lib/libomp.so.5";
}

void expect_counts_of_libomp(const std::string &program, const std::vector<std::string> &arguments,
                             const std::vector<const char *> &names) {
    for (const char *version : {"14", "19"}) {
        SCOPED_TRACE(version);
        if (!std::filesystem::exists(libomp(version))) {
            GTEST_SKIP() << "libomp " << version << " is not there; tests/run.sh fetches it";
        }
        const Recorded here =
            run_recorded(program, {{OCB_LIBGOMP_OMPT, OCB_LIBGOMP_RECORDER}, {}, arguments});
        const Recorded there =
            run_recorded(program, {{libomp(version), OCB_LIBGOMP_RECORDER}, {}, arguments});
        ASSERT_TRUE(here.outcome.succeeded()) << here.outcome.describe();
        ASSERT_TRUE(there.outcome.succeeded()) << there.outcome.describe();
        EXPECT_EQ(here.outcome.out, there.outcome.out);
        ASSERT_EQ(0, here.counts.at("llvm").first);
        ASSERT_EQ(1, there.counts.at("llvm").first);
        for (const char *name : names) {
            EXPECT_EQ(here.counts.at(name), there.counts.at(name)) << name;
        }
    }
}

TEST(Counts, AreThoseOfLibomp) {
    expect_counts_of_libomp(program_path("fixed"), {},
                            {"thread_begin", "thread_end", "parallel_begin", "parallel_end",
                             "task_create", "task_schedule", "implicit_task", "sync_region",
                             "sync_wait", "mutex_acquire", "mutex_acquired", "mutex_released",
                             "nest_lock", "lock_init", "lock_destroy", "work"});
}

// libomp has these entries for programs of that age too.
TEST(Counts, OfOldEntriesAreThoseOfLibomp) {
    expect_counts_of_libomp(program_path("old_entries"), {},
                            {"thread_begin", "parallel_begin", "parallel_end", "implicit_task",
                             "sync_region", "sync_wait", "mutex_acquire", "mutex_acquired",
                             "mutex_released", "nest_lock", "lock_init", "lock_destroy", "work"});
}

TEST(Counts, OldEntriesAreCalledByTheProgram) {
    const Recorded run =
        run_recorded(program_path("old_entries"),
                     {{OCB_LIBGOMP_OMPT, OCB_LIBGOMP_RECORDER}, {{"OCB_RECORD_CODE", "1"}}, {}});
    ASSERT_FALSE(run.counts.empty());
    constexpr long kRegions = 10, kTeam = 3;
    for (const char *begins : {"begin_parallel", "begin_static", "begin_dynamic", "begin_guided",
                               "begin_runtime", "begin_sections"}) {
        EXPECT_EQ(kRegions, run.counts.at(std::string("code:") + begins).first) << begins;
    }
    constexpr long kAll = 6 * kRegions, kWithWork = 5 * kRegions;
    EXPECT_EQ(kAll, run.counts.at("parallel_end").first);
    EXPECT_EQ(kAll * kTeam + 1, run.counts.at("implicit_task").first); // the initial one too
    EXPECT_EQ(std::make_pair(kWithWork * kTeam, kWithWork * kTeam), run.counts.at("work"));
}

TEST(Counts, OfClustaloAreThoseOfLibomp) {
    const std::string clustalo = "/usr/bin/clustalo";
    if (!std::filesystem::exists(clustalo)) {
        GTEST_SKIP() << "clustalo is not installed";
    }
    const TemporaryFolder folder;
    const std::string sequences = folder.file("sequences");
    Command make;
    make.arguments = {"/bin/sh", OCB_LIBGOMP_FASTA_SCRIPT};
    const Outcome made = run(make);
    ASSERT_TRUE(made.succeeded()) << made.describe();
    constexpr int kFew = 8;
    std::size_t end = 0;
    for (int i = 0; i <= kFew && end != std::string::npos; ++i) {
        end = made.out.find('>', end + 1);
    }
    std::ofstream(sequences) << made.out.substr(0, end);
    expect_counts_of_libomp(clustalo, {"-i", sequences, "--threads=3"},
                            {"thread_begin", "thread_end", "parallel_begin", "parallel_end",
                             "implicit_task", "sync_region", "sync_wait", "mutex_acquire",
                             "mutex_acquired", "mutex_released", "work"});
}

} // namespace
} // namespace ocb_test
