// SPDX-License-Identifier: Apache-2.0
//
// What a program may do with processes, threads and stacks: it does the same with us, and the
// profile is right.
#include "watched.h"

#include <fstream>
#include <iterator>

namespace ocb_test {
namespace {

const std::string kAround[] = {OCB_TEST_PROGRAMS "/clang/around", OCB_TEST_PROGRAMS "/gcc/around"};

Watched expect_same(const std::vector<std::string> &arguments) {
    const Outcome alone = run_alone(arguments);
    Watched watched = watch(arguments);
    EXPECT_EQ(watched.outcome.out, alone.out) << watched.outcome.describe();
    EXPECT_EQ(watched.outcome.err, alone.err);
    EXPECT_EQ(watched.outcome.exit_code, alone.exit_code);
    EXPECT_EQ(watched.outcome.signal, alone.signal);
    return watched;
}

// Of vfork(), in the memory of its parent: no timer is made or lost.
TEST(Children, OfVforkChangeTheirMasks) {
    for (const std::string &program : kAround) {
        for (const char *what : {"restore", "block"}) {
            const Watched watched = expect_same({program, "vfork", what});
            ASSERT_EQ(watched.profiles.size(), 1U) << watched.outcome.describe();
            EXPECT_EQ(watched.profiles[0].threads_without_timer, 0U);
        }
    }
}

// Of fork(), vfork(), _Fork() and clone(), with the memory of its parent and with a copy.
TEST(Children, OfAllKindsHaveTheirSignals) {
    for (const std::string &program : kAround) {
        const Watched watched = expect_same({program, "children"});
        EXPECT_NE(watched.outcome.out.find("parent: handler, handled 1"), std::string::npos);
        ASSERT_EQ(watched.profiles.size(), 1U) << watched.outcome.describe();
        const ompcollect::report::Process &profile = watched.profiles[0];
        EXPECT_EQ(profile.threads_without_timer, 0U);
        EXPECT_EQ(profile.ending, ompcollect::Ending::kExit);
        EXPECT_EQ(profile.exit_code, 0);
    }
}

// Where the smallest stack that there is suffices without us.
TEST(SmallStacks, SufficeForTheFirstUseOfOpenmp) {
    for (const std::string &program : kAround) {
        for (long size = 16384; size <= 20480; size += 1024) {
            const TemporaryFolder folder;
            Command command;
            command.arguments = {std::string(OCB_TEST_BIN_FOLDER) + "/ompcollect",
                                 "--rate",
                                 rate_here("1000"),
                                 "-o",
                                 folder.file("report"),
                                 program,
                                 "small",
                                 std::to_string(size)};
            const Outcome outcome = run(command);
            EXPECT_EQ(outcome.out, "done\n") << size << outcome.describe();
            EXPECT_EQ(outcome.err, "");
            std::ifstream file(folder.file("report"));
            const std::string report{std::istreambuf_iterator<char>(file), {}};
            EXPECT_NE(report.find("use_openmp around.c:"), std::string::npos) << report;
        }
    }
}

// A FORK on a coroutine's stack is known from before, as one on the thread's own is.
TEST(Coroutines, AreWalkedOnce) {
    constexpr uint64_t kForks = uint64_t{4} * 300; // of 2 threads
    for (const std::string &program : kAround) {
        for (const char *policy : {"active", "passive"}) {
            const Watched watched =
                watch({program, "coroutines", "300"}, {{"OMP_WAIT_POLICY", policy}});
            EXPECT_EQ(watched.outcome.out, "2400\n") << watched.outcome.describe();
            ASSERT_EQ(watched.profiles.size(), 1U);
            const ompcollect::report::Process &profile = watched.profiles[0];
            EXPECT_EQ(profile.fork_stacks, kForks);
            EXPECT_LE(profile.fork_walks, kForks / 10);
            // A sample in the last instructions of libc's swapcontext is on a stack whose return
            // address is not there yet: its own description of them is wrong. No fork is there.
            EXPECT_LE(profile.cut_walks, profile.walks / 10);
            // coroutine, fork_here, the region: nothing is below a coroutine. Samples add paths
            // of their own, of another kind.
            std::vector<uint64_t> entries;
            for (const ompcollect::report::Node &node : profile.nodes) {
                if (node.kind == ompcollect::report::NodeKind::kRegion && node.same_as == -1) {
                    entries.push_back(node.entries);
                }
            }
            EXPECT_EQ(entries, (std::vector<uint64_t>{kForks}));
        }
    }
}

#ifdef OCB_TEST_THREADED
// Refused: the kernel permits no perf events, and the sampling thread lowers the rate.
void expect_no_races(bool is_refused) {
    const TemporaryFolder folder;
    const TemporaryFolder options;
    // The sampling thread has a table of descriptors of its own, where a number is another file.
    // ThreadSanitizer knows one table.
    std::ofstream(options.file("suppressions")) << "race:ompcollect::read_task_file\n";
    Command command;
    command.arguments = {OCB_TEST_THREADED};
    if (is_refused) {
        command.arguments = {OCB_TEST_REFUSING, "perf_event_open", OCB_TEST_THREADED};
    }
    command.environment = {{"OMPCOLLECT_RATE", "5000"},
                           {"OMPCOLLECT_PROFILE_DIR", folder.file("")},
                           // The sampling thread has closed its standard error.
                           {"TSAN_OPTIONS", "log_path=" + folder.file("races") +
                                                ":suppressions=" + options.file("suppressions")}};
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    const size_t lines = is_refused || !has_fine_timers_here() ? 1 : 0;
    EXPECT_EQ(count(outcome.err, "5000 samples a second are asked for"), lines) << outcome.err;
    EXPECT_EQ(count(outcome.err, "\n"), lines) << outcome.err;
    bool has_profile = false;
    for (const auto &entry : std::filesystem::directory_iterator(folder.file(""))) {
        std::ifstream file(entry.path());
        const bool is_report = entry.path().filename().string().starts_with("races");
        EXPECT_FALSE(is_report) << std::string{std::istreambuf_iterator<char>(file), {}};
        has_profile = has_profile || entry.path().extension() == ompcollect::kProfileSuffix;
    }
    EXPECT_TRUE(has_profile);
}

TEST(Collector, HasNoRaces) {
    expect_no_races(false);
}

TEST(Collector, HasNoRacesWherePerfEventsAreRefused) {
    expect_no_races(true);
}
#endif

} // namespace
} // namespace ocb_test
