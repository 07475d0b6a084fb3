// SPDX-License-Identifier: Apache-2.0
//
// The default collector on a producer that is not the bridge and that answers as OpenUH does.
#include "process.h"

#include "profile_files.h"
#include "rate_here.h"
#include "read_profile.h"
#include "source_lines.h"

#include "omp_collector_api.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

namespace ompcollect {
namespace {

namespace fs = std::filesystem;
using ocb_test::Command;
using ocb_test::node_of;
using ocb_test::Outcome;
using ocb_test::TemporaryFolder;
using ocb_test::why_not_read;
using report::Process;
using report::RegionTimes;
using report::StateTables;
using report::StateTimes;

const std::string kCollector = OCB_TEST_LIB_FOLDER "/libompcollect-default.so";

struct DriverRun {
    Outcome outcome;
    std::vector<Process> profiles; // by pid
};

using Environment = std::map<std::string, std::string>;

// LD_PRELOAD takes no path with a space, so the library is found by name.
Environment preloaded() {
    return {{"LD_LIBRARY_PATH", OCB_TEST_LIB_FOLDER}, {"LD_PRELOAD", "libompcollect-default.so"}};
}

DriverRun drive(const std::string &scenario, const Environment &additions = {},
                Environment environment = preloaded()) {
    const TemporaryFolder folder;
    environment["OMPCOLLECT_PROFILE_DIR"] = folder.file("");
    environment["OMPCOLLECT_RATE"] = ocb_test::rate_here("1000");
    for (const auto &[name, value] : additions) {
        environment[name] = value;
    }
    Command command;
    command.arguments = {OCB_TEST_DRIVER, scenario};
    command.environment = environment;
    DriverRun result;
    result.outcome = ocb_test::run(command);
    for (const fs::path &file : ocb_test::profile_files(folder.file(""))) {
        Process &process = result.profiles.emplace_back();
        EXPECT_EQ(why_not_read(file, process), "") << file;
        // The driver's threads sleep in each state, and others may have their processors.
        for (report::Cell &cell : process.cells) {
            cell.state = report::state_within(cell);
        }
    }
    return result;
}

double share(const StateTimes &times, unsigned state) {
    return times.wall[state] / total_wall(times);
}

template <class Place> std::string name_of(const Place &place) {
    SourceLines lines;
    return place.module.empty() ? "" : lines.look_up(place.module, place.offset).symbol;
}

// Null where there is none.
const RegionTimes *region_named(const Process &process, const StateTables &tables,
                                const std::string &name) {
    for (const RegionTimes &region : tables.regions) {
        if (name_of(node_of(process, region)) == name) {
            return &region;
        }
    }
    return nullptr;
}

bool has_region(const Process &process, const std::string &name) {
    return region_named(process, StateTables(process), name) != nullptr;
}

// Shares are of time by the clock, so a busy machine does not change them by much.
// Of shares, where the phases of both threads are in step; and what the shortest sum of phases that
// is a whole (the outer region's) lasts, in seconds.
constexpr double kTolerance = 0.08;
constexpr double kShortestWhole = 0.6;

void expect_regions_profile(const Process &process, double tolerance) {
    const StateTables tables(process);
    ASSERT_EQ(tables.threads.size(), 2U);
    EXPECT_NEAR(share(tables.threads[0], THR_SERIAL_STATE), 0.5, tolerance);
    EXPECT_NEAR(share(tables.threads[0], THR_WORK_STATE), 0.25, tolerance);
    EXPECT_NEAR(share(tables.threads[0], THR_IBAR_STATE), 0.25, tolerance);
    EXPECT_TRUE(process.threads[0].is_initial);
    EXPECT_NEAR(share(tables.threads[1], THR_WORK_STATE), 0.333, tolerance);
    EXPECT_NEAR(share(tables.threads[1], THR_IDLE_STATE), 0.667, tolerance);

    const RegionTimes *outer = region_named(process, tables, "fork_outer");
    const RegionTimes *inner = region_named(process, tables, "fork_inner");
    ASSERT_TRUE(outer && inner);
    EXPECT_EQ(node_of(process, *outer).entries, 1U);
    EXPECT_EQ(region_of(process, node_of(process, *outer).parent), report::kOutside);
    EXPECT_EQ(region_of(process, node_of(process, *inner).parent), outer->node);
    // Two threads worked in it, then one of them was idle while it still ran.
    EXPECT_NEAR(share(outer->times, THR_WORK_STATE), 0.667, tolerance);
    EXPECT_NEAR(share(outer->times, THR_IDLE_STATE), 0.333, tolerance);
    EXPECT_NEAR(share(inner->times, THR_IBAR_STATE), 1, tolerance);
    EXPECT_GT(tables.outside.wall[THR_IDLE_STATE], 0);
    EXPECT_EQ(total_wall(tables.unknown), 0);
}

TEST(DefaultCollector, FindsThreadsRegionsAndIdleTime) {
    // A busy machine gets some tries. What the last one was late by is added to the tolerance.
    DriverRun run;
    double late = 1;
    for (int tries = 0; tries < 10 && late > kTolerance / 2; ++tries) {
        run = drive("regions");
        ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
        ASSERT_EQ(std::sscanf(run.outcome.out.c_str(), "late %lf", &late), 1) << run.outcome.out;
    }
    ASSERT_EQ(run.profiles.size(), 1U);
    expect_regions_profile(run.profiles[0], kTolerance + late / kShortestWhole);
    EXPECT_EQ(run.profiles[0].start_code, OMP_ERRCODE_OK);
    EXPECT_EQ(std::to_string(run.profiles[0].rate), ocb_test::rate_here("1000"));
}

TEST(DefaultCollector, CountsProcessorTimeWhereAsked) {
    const DriverRun run = drive("regions", {{"OMPCOLLECT_CLOCK", "cpu"}});
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_EQ(run.profiles.size(), 1U);
    EXPECT_FALSE(run.profiles[0].has_wall_times);
    EXPECT_GT(run.profiles[0].threads[0].samples, 0U);
}

TEST(DefaultCollector, ReportsEventsThatAreNotOffered) {
    const DriverRun run = drive("regions");
    ASSERT_EQ(run.profiles.size(), 1U);
    const auto &events = run.profiles[0].events;
    EXPECT_EQ(events[OMP_EVENT_THR_BEGIN_ATWT].registered, OMP_ERRCODE_UNSUPPORTED);
    EXPECT_EQ(events[OMP_EVENT_FORK].registered, OMP_ERRCODE_OK);
    EXPECT_EQ(events[OMP_EVENT_FORK].count, 2U);
    EXPECT_EQ(events[OMP_EVENT_JOIN].count, 2U);
}

TEST(DefaultCollector, LivesWithoutForkEvents) {
    const DriverRun run = drive("regions", {{"FAKE_NO_FORK", "1"}});
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_EQ(run.profiles.size(), 1U);
    const StateTables tables(run.profiles[0]);
    EXPECT_TRUE(tables.regions.empty());
    EXPECT_GT(tables.unknown.wall[THR_WORK_STATE], 0);
}

// Nobody walks further than the function that forks.
TEST(DefaultCollector, DoesNotNeedTheCallersUnwindInformation) {
    const DriverRun run = drive("wrong_unwinding");
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_EQ(run.profiles.size(), 1U);
    EXPECT_TRUE(has_region(run.profiles[0], "fork_outer"));
}

void expect_lock(const DriverRun &run) {
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_EQ(run.profiles.size(), 1U);
    const Process &loaded = run.profiles[0];
    ASSERT_EQ(loaded.locks.size(), 1U);
    EXPECT_EQ(loaded.locks[0].state, unsigned{THR_CTWT_STATE});
    EXPECT_EQ(loaded.locks[0].waits, 3U);
    EXPECT_GT(loaded.locks[0].wall, 0.25);
    EXPECT_EQ(name_of(loaded.locks[0].object), "a_lock");
    EXPECT_EQ(name_of(loaded.locks[0].first_wait), "locks");
}

TEST(DefaultCollector, NamesTheContendedLock) {
    expect_lock(drive("locks"));
}

TEST(DefaultCollector, LearnsTheLayoutThatTheProducerTakes) {
    const DriverRun run = drive("locks", {{"FAKE_NATURAL", "1"}});
    ASSERT_EQ(run.profiles.size(), 1U);
    ASSERT_EQ(run.profiles[0].locks.size(), 2U); // the first answer came without its wait id
    EXPECT_EQ(run.profiles[0].locks[0].waits, 2U);
    EXPECT_EQ(name_of(run.profiles[0].locks[0].object), "a_lock");
}

TEST(DefaultCollector, KeepsARowForEachOfManyThreads) {
    const DriverRun run = drive("many_threads", {{"OMPCOLLECT_RATE", "10000"}});
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_EQ(run.profiles.size(), 1U);
    EXPECT_EQ(run.profiles[0].events[OMP_EVENT_THR_BEGIN_MASTER].count, 1500U);
    EXPECT_EQ(run.profiles[0].threads.size(), 1501U);
    for (const report::Thread &row : run.profiles[0].threads) {
        EXPECT_EQ(row.threads, 1U);
        EXPECT_LE(row.events[OMP_EVENT_THR_BEGIN_MASTER], 1U);
    }
}

TEST(DefaultCollector, CountsAForkedChildOnItsOwn) {
    const DriverRun run = drive("forked");
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_EQ(run.profiles.size(), 2U);
    const bool parent_first = run.profiles[0].events[OMP_EVENT_FORK].count == 2;
    const Process &parent = run.profiles[parent_first ? 0 : 1];
    const Process &child = run.profiles[parent_first ? 1 : 0];
    EXPECT_EQ(parent.events[OMP_EVENT_FORK].count, 2U);
    EXPECT_EQ(child.events[OMP_EVENT_FORK].count, 1U);
    const StateTables parents(parent);
    const StateTables childs(child);
    ASSERT_EQ(childs.regions.size(), 1U);
    // A sample per millisecond of what each of them worked.
    double parent_ms = 0;
    double child_ms = 0;
    std::istringstream(run.outcome.out) >> parent_ms >> child_ms;
    ASSERT_GT(parent_ms, 199);
    ASSERT_GT(child_ms, 299);
    EXPECT_NEAR(parents.regions[0].times.wall[THR_WORK_STATE] * 1000 / parent_ms, 1, kTolerance);
    EXPECT_NEAR(childs.regions[0].times.wall[THR_WORK_STATE] * 1000 / child_ms, 1, kTolerance);
    EXPECT_NE(child.pid, parent.pid);
}

// Another thread's region, which runs in the parent, is none in the child.
TEST(DefaultCollector, AForkedChildHasNoOtherMasters) {
    const DriverRun run = drive("forked_beside_a_master");
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_EQ(run.profiles.size(), 2U);
    const Process &child = run.profiles[has_region(run.profiles[0], "fork_inner") ? 0 : 1];
    const StateTables tables(child);
    const RegionTimes *region = region_named(child, tables, "fork_inner");
    ASSERT_TRUE(region);
    EXPECT_GT(region->times.wall[THR_IDLE_STATE], 0.2);
    EXPECT_EQ(total_wall(tables.unknown), 0);
}

// The jump leaves marks of the callback behind; the thread's regions count from the next FORK on.
TEST(DefaultCollector, GoesOnAfterACallbackThatWasLeft) {
    const DriverRun run = drive("leaves_callback");
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_EQ(run.profiles.size(), 1U);
    const Process &loaded = run.profiles[0];
    EXPECT_EQ(loaded.events[OMP_EVENT_FORK].count, 3U);
    const StateTables tables(loaded);
    const RegionTimes *region = region_named(loaded, tables, "fork_inner");
    ASSERT_TRUE(region);
    EXPECT_EQ(node_of(loaded, *region).entries, 2U);
    double ms = 0;
    std::istringstream(run.outcome.out) >> ms;
    ASSERT_GT(ms, 199);
    EXPECT_NEAR(region->times.wall[THR_WORK_STATE] * 1000 / ms, 1, kTolerance);
}

TEST(DefaultCollector, CountsARegionInTheCallbackOfAFork) {
    const DriverRun run = drive("forks_in_callback");
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_EQ(run.profiles.size(), 1U);
    const StateTables tables(run.profiles[0]);
    for (const char *name : {"fork_outer", "fork_inner"}) {
        const RegionTimes *region = region_named(run.profiles[0], tables, name);
        ASSERT_TRUE(region) << name;
        EXPECT_EQ(node_of(run.profiles[0], *region).entries, 3U) << name;
    }
}

// A malloc in the handler would sooner or later meet the malloc it has interrupted.
TEST(DefaultCollector, IsNotSeenByTheInterruptedCode) {
    const DriverRun run = drive("busy", {{"OMPCOLLECT_RATE", "10000"}});
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_EQ(run.profiles.size(), 1U);
    EXPECT_GT(run.profiles[0].threads[0].samples, 50U);
}

TEST(DefaultCollector, LeavesTheSignalToAProgramThatTakesIt) {
    const DriverRun run = drive("takes_signal");
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_EQ(run.profiles.size(), 1U);
    EXPECT_TRUE(run.profiles[0].signal_taken);
    const DriverRun other = drive("takes_signal", {{"OMPCOLLECT_SIGNAL", "40"}});
    EXPECT_TRUE(other.outcome.succeeded()) << other.outcome.describe();
    ASSERT_EQ(other.profiles.size(), 1U);
    EXPECT_FALSE(other.profiles[0].signal_taken);
    EXPECT_GT(StateTables(other.profiles[0]).threads[0].wall[THR_WORK_STATE], 0.05);
}

TEST(DefaultCollector, StepsBackWhenStartIsRefused) {
    for (const char *code : {"3", "4"}) {
        const DriverRun run = drive("regions", {{"FAKE_START_CODE", code}});
        EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
        EXPECT_TRUE(run.profiles.empty());
        EXPECT_EQ(ocb_test::lines_with_prefix(run.outcome.err, "[ompcollect] ").size(), 1U)
            << run.outcome.err;
    }
}

TEST(DefaultCollector, SaysSoWhereNobodyServesTheSymbol) {
    Command command;
    command.arguments = {OCB_TEST_PROGRAMS "/gcc/plain"};
    command.environment = preloaded();
    const Outcome outcome = ocb_test::run(command);
    EXPECT_EQ(outcome.exit_code, 3) << outcome.describe();
    EXPECT_EQ(outcome.out, "plain\n");
    EXPECT_EQ(ocb_test::lines_with_prefix(outcome.err, "[ompcollect] ").size(), 1U) << outcome.err;
}

TEST(DefaultCollector, WorksWhenItIsLoadedLate) {
    const DriverRun run = drive("late_collector", {{"DRIVER_COLLECTOR", kCollector}}, {});
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_EQ(run.profiles.size(), 1U);
    const Process &loaded = run.profiles[0];
    ASSERT_EQ(loaded.threads.size(), 2U);
    EXPECT_TRUE(has_region(loaded, "fork_outer"));
}

TEST(DefaultCollector, IsSilentWhereNoOpenMPIsUsed) {
    const DriverRun run = drive("without_openmp");
    EXPECT_EQ(run.outcome.out, "started 1\n");
    EXPECT_EQ(run.outcome.err, "");
    EXPECT_TRUE(run.profiles.empty());
}

TEST(DefaultCollector, NamesItsProfileWithoutALauncher) {
    const TemporaryFolder temporary;
    Command command;
    command.arguments = {OCB_TEST_DRIVER, "regions"};
    command.environment = preloaded();
    command.environment["TMPDIR"] = temporary.file("");
    const Outcome outcome = ocb_test::run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    const auto lines = ocb_test::lines_with_prefix(outcome.err, "[ompcollect] ");
    ASSERT_EQ(lines.size(), 1U) << outcome.err;
    Process loaded;
    ASSERT_EQ(why_not_read(lines[0].substr(lines[0].rfind(' ') + 1), loaded), "") << lines[0];
    EXPECT_EQ(loaded.threads.size(), 2U);
    EXPECT_FALSE(loaded.samples.empty());
}

TEST(DefaultCollector, CorrectsWrongSettingsWithALine) {
    const DriverRun run =
        drive("locks", {{"OMPCOLLECT_RATE", "fast"}, {"OMPCOLLECT_CLOCK", "moon"}});
    ASSERT_EQ(run.profiles.size(), 1U);
    EXPECT_EQ(run.profiles[0].rate, 97U);
    EXPECT_EQ(ocb_test::lines_with_prefix(run.outcome.err, "[ompcollect] ").size(), 2U);
}

TEST(DefaultCollector, NeedsLibcAloneAndExportsNothing) {
    Command command;
    command.arguments = {"/usr/bin/readelf", "-d", "--dyn-syms", "-W", kCollector};
    const Outcome outcome = ocb_test::run(command);
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    std::istringstream lines(outcome.out);
    std::vector<std::string> defined;
    for (std::string line; std::getline(lines, line);) {
        if (line.find("(NEEDED)") != std::string::npos) {
            EXPECT_NE(line.find("[libc.so.6]"), std::string::npos) << line;
        }
        if (line.find(" GLOBAL ") != std::string::npos && line.find(" UND ") == std::string::npos) {
            defined.push_back(line.substr(line.rfind(' ') + 1));
        }
    }
    EXPECT_EQ(defined, std::vector<std::string>{});
}

} // namespace
} // namespace ompcollect
