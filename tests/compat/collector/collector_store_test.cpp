// SPDX-License-Identifier: Apache-2.0
//
// What the collector keeps of real programs: more than its tables hold, on a full disk, of a killed
// process, and what a damaged file is read as.
#include "watched_program.h"

#include "omp_collector_api.h"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;
using namespace ompcollect;

constexpr size_t kPaths = 6000;

TEST(Store, KeepsMoreLocationsThanAnyTableHas) {
    OCB_SKIP_IF_SANITIZED();
    const Watched watched = watch({kClangMany, "grow", std::to_string(kPaths)});
    ASSERT_TRUE(watched.outcome.succeeded()) << watched.outcome.describe();
    ASSERT_EQ(watched.profiles.size(), 1U);
    // Each path is one of the leaves of a binary tree, whose inner nodes are paths too.
    EXPECT_GT(regions_of(watched.profile()).size(), kPaths);
    EXPECT_EQ(watched.profile().missing, "");
    EXPECT_EQ(entries_of(watched.profile()), watched.profile().events[OMP_EVENT_FORK].count);
    EXPECT_LT(total_wall(StateTables(watched.profile()).unknown),
              0.1 * watched.profile().seconds); // samples between a fork and its event
}

// A loop over many parallel regions costs no walk of the stack for each of them.
TEST(CallPaths, StacksOfForksAreWalkedOnce) {
    OCB_SKIP_IF_SANITIZED();
    for (const char *compiler : {"/clang", "/gcc"}) {
        const bool is_gcc = std::string(compiler) == "/gcc";
        const Watched watched =
            watch({std::string(OCB_TEST_PROGRAMS) + compiler + "/many", "places", "100"},
                  {{"LD_PRELOAD", is_gcc ? "libompcollect-preload.so libgomp-ompt.so"
                                         : "libompcollect-preload.so"}});
        ASSERT_EQ(watched.profiles.size(), 1U) << watched.outcome.describe();
        const Process &profile = watched.profile();
        EXPECT_EQ(profile.events[OMP_EVENT_FORK].count, 6400U);
        if (profile.stacks == "off") {
            GTEST_SKIP() << "no stacks on this machine";
        }
        EXPECT_EQ(profile.fork_stacks, 6400U);
        EXPECT_GE(profile.fork_walks, 64U);
        EXPECT_LE(profile.fork_walks, 640U);
    }
}

// Many paths to few places, three rounds over them: the first walks each once.
TEST(CallPaths, ManyStacksOfForksAreRemembered) {
    OCB_SKIP_IF_SANITIZED();
    constexpr uint64_t kSome = 500; // with 3 stacks of forks for each
    const Watched watched = watch({kClangMany, "grow", std::to_string(kSome)});
    ASSERT_EQ(watched.profiles.size(), 1U) << watched.outcome.describe();
    const Process &profile = watched.profile();
    if (profile.stacks == "off") {
        GTEST_SKIP() << "no stacks on this machine";
    }
    EXPECT_EQ(profile.fork_stacks, profile.events[OMP_EVENT_FORK].count);
    EXPECT_GT(profile.fork_stacks, 20 * kSome);
    EXPECT_GE(profile.fork_walks, 2 * kSome);
    EXPECT_LE(profile.fork_walks, 4 * kSome);
}

TEST(Store, LivesWithALimitOnFiles) {
    OCB_SKIP_IF_SANITIZED();
    // In blocks of 512 bytes.
    const Watched watched = watch({"/bin/sh", "-c", "ulimit -f 600; exec \"$0\" grow \"$1\"",
                                   kClangMany, std::to_string(kPaths)});
    ASSERT_TRUE(watched.outcome.succeeded()) << watched.outcome.describe();
    ASSERT_EQ(watched.profiles.size(), 1U);
    EXPECT_EQ(watched.profile().missing, strerror(EFBIG));
    EXPECT_LT(entries_of(watched.profile()), watched.profile().events[OMP_EVENT_FORK].count);
    EXPECT_GT(regions_of(watched.profile()).size(), 100U);
}

// Every wait is in its lock's row, or counted as one without; and so is its time.
TEST(Store, CountsWaitsForLocksWithoutRoom) {
    OCB_SKIP_IF_SANITIZED();
    struct Waits {
        uint64_t all, unplaced, unplaced_ns;
    };
    const auto waits_with = [](const char *blocks) {
        const Watched watched = watch(
            {"/bin/sh", "-c", "ulimit -f \"$1\"; exec \"$0\" many_locks", OCB_TEST_DRIVER, blocks},
            {{"LD_PRELOAD", "libompcollect-default.so"}});
        EXPECT_EQ(watched.headers.size(), 1U) << watched.outcome.describe();
        const FileHeader &header = *watched.headers.at(0);
        Waits waits{header.unplaced_lock_waits, header.unplaced_lock_waits,
                    header.unplaced_lock_ns};
        for (const report::Lock &lock : watched.profiles[0].locks) {
            waits.all += lock.waits;
        }
        EXPECT_EQ(watched.profile().unplaced_lock_time > 0, waits.unplaced_ns > 0);
        return waits;
    };
    const Waits placed = waits_with("unlimited");
    EXPECT_EQ(placed.all, 20000U);
    EXPECT_EQ(placed.unplaced, 0U);
    EXPECT_EQ(placed.unplaced_ns, 0U);
    const Waits some = waits_with("1000");
    EXPECT_EQ(some.all, 20000U);
    EXPECT_GT(some.unplaced, 0U);
    EXPECT_GT(some.unplaced_ns, 0U);
}

// Three of twenty have a place.
TEST(Store, CountsRegionsWithoutRoom) {
    OCB_SKIP_IF_SANITIZED();
    const Watched watched =
        watch({OCB_TEST_DRIVER, "many_regions"}, {{"LD_PRELOAD", "libompcollect-default.so"}});
    ASSERT_EQ(watched.headers.size(), 1U) << watched.outcome.describe();
    EXPECT_TRUE(watched.outcome.succeeded()) << watched.outcome.describe();
    EXPECT_EQ(watched.headers[0]->forgotten_regions, 17U);
    EXPECT_EQ(watched.profile().forgotten_regions, 17U);
    EXPECT_EQ(entries_of(watched.profile()), 22U);
}

// Runs the program `many` with its profile on a file system of so many kilobytes, and reads what
// is there at the end. `environment`: settings of the collector, as a shell has them.
struct OnSmallDisk {
    Outcome outcome;
    unsigned profiles = 0;
    Process loaded;

    [[nodiscard]] bool could_be_made() const {
        return outcome.exit_code != 77 && outcome.err.find("unshare:") == std::string::npos;
    }
};

void run_on_small_disk(unsigned kilobytes, const std::string &environment,
                       const std::vector<std::string> &arguments, OnSmallDisk &to) {
    const TemporaryFolder folder;
    const std::string small = folder.file("small");
    const std::string out = folder.file("out");
    fs::create_directories(small);
    fs::create_directories(out);
    const std::string script = "small=$1 out=$2; shift 2\n"
                               "mount -t tmpfs -o size=" +
                               std::to_string(kilobytes) +
                               "k none \"$small\" 2>/dev/null || exit 77\n"
                               "OMPCOLLECT_PROFILE_DIR=\"$small\" " +
                               environment +
                               " \"$0\" \"$@\" || exit 1\n"
                               "cp \"$small\"/* \"$out\"";
    Command command;
    command.arguments = {"/usr/bin/unshare", "-rm", "/bin/sh", "-c", script,
                         kClangMany,         small, out};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = watched_environment(small);
    to.outcome = run(command);
    for (const auto &file : profile_files(out)) {
        ++to.profiles;
        EXPECT_EQ(why_not_read(file, to.loaded), "");
    }
}

// The smaller one has no room for what is allocated at once, which is 220 KiB; the parts are tried
// then, and the samples' own is done without.
TEST(Store, LivesWithAFullDisk) {
    OCB_SKIP_IF_SANITIZED();
    for (const unsigned kilobytes : {180U, 300U}) {
        OnSmallDisk disk;
        run_on_small_disk(kilobytes, "", {"grow", std::to_string(kPaths)}, disk);
        if (!disk.could_be_made()) {
            GTEST_SKIP() << "no small file system can be made here";
        }
        ASSERT_TRUE(disk.outcome.succeeded()) << disk.outcome.describe();
        ASSERT_EQ(disk.profiles, 1U);
        EXPECT_EQ(disk.loaded.missing, strerror(ENOSPC));
        EXPECT_GT(regions_of(disk.loaded).size(), 100U);
    }
}

uint64_t samples_in_cells(const Process &loaded) {
    uint64_t samples = 0;
    for (const report::Cell &cell : loaded.cells) {
        samples += cell.samples;
    }
    return samples;
}

// Charges that are no look at a thread, and so have no time: before its first event, in FORK.
constexpr uint64_t kTimeless = 16;

// Samples with times are in a file or in the mapped ring: a process that is killed loses none.
TEST(Store, KeepsTheSamplesOfAKilledProcess) {
    OCB_SKIP_IF_SANITIZED();
    const Watched watched = watch({kClangMany, "sleepers", "700", std::to_string(SIGKILL)},
                                  {{"OMPCOLLECT_RATE", rate_here("1000")}});
    EXPECT_EQ(watched.outcome.signal, SIGKILL);
    ASSERT_EQ(watched.profiles.size(), 1U);
    const Process &loaded = watched.profiles[0];
    EXPECT_GT(loaded.samples.size(), 32U);
    EXPECT_EQ(loaded.samples_end_early, "");
    EXPECT_GE(loaded.samples.size() + loaded.samples_missed + kTimeless, samples_in_cells(loaded));
}

// The samples fill the disk: the sums go on, and the profile shows what is missing and why.
TEST(Store, SumsGoOnWhereSamplesFillTheDisk) {
    OCB_SKIP_IF_SANITIZED();
    // A slow machine takes fewer samples a second.
    for (long milliseconds = 1000; milliseconds <= 64000; milliseconds *= 4) {
        OnSmallDisk disk;
        run_on_small_disk(400, "OMPCOLLECT_RATE=5000", {"sleepers", std::to_string(milliseconds)},
                          disk);
        if (!disk.could_be_made()) {
            GTEST_SKIP() << "no small file system can be made here";
        }
        ASSERT_TRUE(disk.outcome.succeeded()) << disk.outcome.describe();
        const Process &loaded = disk.loaded;
        if (loaded.samples_missed == 0) {
            continue;
        }
        EXPECT_EQ(loaded.samples_end_early, strerror(ENOSPC));
        EXPECT_GT(loaded.samples.size(), 4096U);
        EXPECT_EQ(loaded.unplaced, 0);
        EXPECT_GE(samples_in_cells(loaded), loaded.samples.size() + loaded.samples_missed);
        // Each of the threads slept that long.
        double wall = 0;
        for (const report::Cell &cell : loaded.cells) {
            wall += cell.wall;
        }
        EXPECT_GT(wall, 0.9 * 32 * 1e-3 * static_cast<double>(milliseconds));
        return;
    }
    FAIL() << "the disk was never full";
}

TEST(Store, GoesOnWithoutAFolder) {
    OCB_SKIP_IF_SANITIZED();
    const Watched watched =
        watch({kClangEnding, "exit", "5"}, {{"OMPCOLLECT_PROFILE_DIR", "/nonexistent"}});
    EXPECT_EQ(watched.outcome.exit_code, 5);
    EXPECT_EQ(lines_with_prefix(watched.outcome.err, "[ompcollect] ").size(), 1U)
        << watched.outcome.err;
}

TEST(Store, CountsEveryThread) {
    OCB_SKIP_IF_SANITIZED();
    // Up to the kernel's tick the initial thread has a row too, although it calls no OpenMP.
    const Watched watched = watch({kClangMany, "threads", "1500"}, {{"OMPCOLLECT_RATE", "1000"}});
    ASSERT_TRUE(watched.outcome.succeeded()) << watched.outcome.describe();
    ASSERT_EQ(watched.profiles.size(), 1U);
    EXPECT_EQ(watched.profiles[0].threads.size(), 1500U);
    uint64_t forks = 0;
    for (const report::Thread &row : watched.profiles[0].threads) {
        EXPECT_EQ(row.threads, 1U);
        forks += row.events[OMP_EVENT_FORK];
    }
    EXPECT_EQ(forks, watched.profile().events[OMP_EVENT_FORK].count);
    EXPECT_EQ(entries_of(watched.profile()), forks);
}

// The system's own numbers, as each thread has printed them short of its end.
TEST(Facts, CountSwitchesOfContextByThread) {
    OCB_SKIP_IF_SANITIZED();
    const Watched watched = watch({kClangManners, "naps"});
    ASSERT_EQ(watched.profiles.size(), 1U) << watched.outcome.describe();
    std::istringstream printed(watched.outcome.out);
    unsigned seen = 0;
    for (long tid = 0, voluntary = 0, involuntary = 0;
         printed >> tid >> voluntary >> involuntary;) {
        for (const report::Thread &thread : watched.profile().threads) {
            if (thread.tid != tid) {
                continue;
            }
            ++seen;
            constexpr uint64_t kLater = 100; // until the last look at it
            EXPECT_GE(thread.voluntary_switches, static_cast<uint64_t>(voluntary)) << tid;
            EXPECT_LE(thread.voluntary_switches, static_cast<uint64_t>(voluntary) + kLater) << tid;
            EXPECT_GE(thread.involuntary_switches, static_cast<uint64_t>(involuntary)) << tid;
        }
    }
    EXPECT_EQ(seen, 4U) << watched.outcome.out;
}

// Of a command with more words than are kept, or a longer one, the file tells that it is cut.
TEST(Facts, TellWhetherTheCommandIsCut) {
    const auto is_cut = [](size_t words, size_t length) {
        std::vector<std::string> arguments = {OCB_TEST_DRIVER, "many_locks"};
        arguments.insert(arguments.end(), words, std::string(length, 'x'));
        const Watched watched = watch(arguments, {{"LD_PRELOAD", "libompcollect-default.so"}});
        EXPECT_EQ(watched.headers.size(), 1U) << watched.outcome.describe();
        return watched.headers.empty() ? 2U : watched.headers[0]->arguments_cut;
    };
    EXPECT_EQ(is_cut(10, 10), 0U);
    EXPECT_EQ(is_cut(1500, 1), 1U);
    EXPECT_EQ(is_cut(2, 40000), 1U);
}

TEST(Facts, DescribeTheProcess) {
    OCB_SKIP_IF_SANITIZED();
    const Watched watched =
        watch({kClangEnding, "exit", "0"},
              {{"OMP_NUM_THREADS", "3"}, {"OMPI_COMM_WORLD_RANK", "5"}, {"KMP_BLOCKTIME", "0"}});
    ASSERT_EQ(watched.profiles.size(), 1U);
    const Process &profile = watched.profile();
    EXPECT_TRUE(profile.program.ends_with("/clang/ending"));
    ASSERT_EQ(profile.arguments.size(), 3U);
    EXPECT_EQ(profile.arguments[1], "exit");
    EXPECT_NE(profile.host, "");
    EXPECT_EQ(profile.rank, "5");
    EXPECT_EQ(profile.rank_variable, "OMPI_COMM_WORLD_RANK");
    EXPECT_EQ(profile.environment.size(), 2U);
    EXPECT_NE(profile.runtime_file.find("omp"), std::string::npos);
    EXPECT_EQ(profile.ompt_generation, "OpenMP 5");
    EXPECT_NE(profile.producer.find("bridge "), std::string::npos);
    EXPECT_EQ(profile.most_threads, 2U);
    EXPECT_GT(profile.processors, 0U);
    EXPECT_NE(profile.affinity, "");
    EXPECT_GT(profile.seconds, 0.1);
    EXPECT_GT(profile.cpu_seconds, 0.01);
    EXPECT_GT(profile.begin, 1700000000);
}

// A file of some size, to be damaged.
std::string some_profile() {
    const TemporaryFolder folder;
    Command command;
    command.arguments = {kClangMany, "grow", "200"};
    command.environment = watched_environment(folder.file(""));
    EXPECT_TRUE(run(command).succeeded());
    for (const auto &file : profile_files(folder.file(""))) {
        std::ifstream in(file, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        return text.str();
    }
    return {};
}

// Empty if it could be read, else why not.
std::string read_text(const std::string &text) {
    // Aligned as files are mapped, and not a byte longer.
    const auto bytes = std::make_unique<uint64_t[]>(text.size() / sizeof(uint64_t) + 1);
    memcpy(bytes.get(), text.data(), text.size());
    try {
        static_cast<void>(
            report::read_live({reinterpret_cast<char *>(bytes.get()), text.size()}, {}));
    } catch (const std::runtime_error &error) {
        return error.what();
    }
    return {};
}

TEST(Reader, SurvivesWhateverTheFileHolds) {
    OCB_SKIP_IF_SANITIZED();
    const std::string good = some_profile();
    ASSERT_EQ(read_text(good), "");
    std::mt19937 random(1);
    const auto below = [&](size_t limit) { return random() % limit; };
    for (int round = 0; round < 1500; ++round) {
        std::string bad = good;
        // The head and the directory matter most.
        for (size_t i = 0; i < 1 + below(8); ++i) {
            const size_t place = below(2) == 0 ? below(6000) : below(bad.size());
            bad[place] = static_cast<char>(below(3) == 0 ? 0xff : below(256));
        }
        if (below(4) == 0) {
            bad.resize(below(bad.size()));
        }
        (void)read_text(bad);
    }
    EXPECT_NE(read_text(""), "");
    EXPECT_NE(read_text("something else"), "");
    EXPECT_NE(read_text(good.substr(0, 1000)), "");
    Process none;
    EXPECT_NE(why_not_read("/nonexistent", none), "");
    EXPECT_NE(why_not_read("/tmp", none), "");
}

} // namespace
} // namespace ocb_test
