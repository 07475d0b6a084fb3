// SPDX-License-Identifier: Apache-2.0
//
// The preloaded part and the collector with real programs, without the launcher: what the programs
// do must be what they do without us, and the profile must be there however they end.
#include "watched_program.h"

#include "omp_collector_api.h"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;
using namespace ompcollect;

const std::string kLostStderr = OCB_TEST_PROGRAMS "/clang/lost_stderr";
const std::string kLateRegion = OCB_TEST_PROGRAMS "/libregion.so";

std::string content_of(const std::string &path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return file ? text.str() : "no file";
}

// Without a launcher the collector names on stderr the command that reads its profile: not into a
// file that the program has opened in its place, and not so that a pipe without a reader ends it.
TEST(CollectorManners, ProfileIsNamedOnTheStderrOfTheBeginning) {
    const TemporaryFolder temporary;
    const std::map<std::string, std::string> no_folder = {{"OMPCOLLECT_PROFILE_DIR", ""},
                                                          {"TMPDIR", temporary.file("")}};
    const Watched printed = watch({kLostStderr, "again"}, no_folder);
    EXPECT_NE(printed.outcome.err.find("[ompcollect] profile of pid "), std::string::npos)
        << printed.outcome.describe();
    const TemporaryFolder folder;
    const std::string path = folder.file("data");
    const Watched replaced = watch({kLostStderr, path}, no_folder);
    EXPECT_TRUE(replaced.outcome.succeeded()) << replaced.outcome.describe();
    EXPECT_EQ(content_of(path), "");
    EXPECT_EQ(replaced.outcome.err, "");
    const Watched unread = watch({kLostStderr, "unread"}, no_folder);
    EXPECT_TRUE(unread.outcome.succeeded()) << unread.outcome.describe();
    EXPECT_EQ(unread.outcome.out, "still there\n");
}

// The folder is the user's alone, and so is what it holds; the command reads it.
TEST(CollectorManners, ProfileWithoutALauncherIsReadByTheNamedCommand) {
    const TemporaryFolder temporary;
    const std::string own = temporary.file("ompcollect-" + std::to_string(geteuid()));
    const std::map<std::string, std::string> no_folder = {{"OMPCOLLECT_PROFILE_DIR", ""},
                                                          {"TMPDIR", temporary.file("")}};
    const Watched named = watch({kLostStderr, "again"}, no_folder);
    constexpr char kCommand[] = "ompcollect report ";
    const size_t at = named.outcome.err.find(kCommand);
    ASSERT_NE(at, std::string::npos) << named.outcome.describe();
    std::string path = named.outcome.err.substr(at + sizeof kCommand - 1);
    path.resize(path.find('\n'));
    EXPECT_EQ(fs::path(path).parent_path(), fs::canonical(own));
    EXPECT_EQ(fs::status(own).permissions(), fs::perms::owner_all);
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    const Outcome read = run_alone({kLauncher, "report", path});
    EXPECT_TRUE(read.succeeded()) << read.describe();
    EXPECT_NE(read.out.find("== OpenMP profile of"), std::string::npos) << read.describe();
}

// What somebody else could have put there is not written to.
TEST(CollectorManners, FolderThatOthersMayWriteToIsRefused) {
    const TemporaryFolder temporary;
    const std::string own = temporary.file("ompcollect-" + std::to_string(geteuid()));
    const std::map<std::string, std::string> no_folder = {{"OMPCOLLECT_PROFILE_DIR", ""},
                                                          {"TMPDIR", temporary.file("")}};
    const auto expect_refused = [&](const char *why) {
        const Watched refused = watch({kLostStderr, "again"}, no_folder);
        EXPECT_TRUE(refused.outcome.succeeded()) << refused.outcome.describe();
        EXPECT_NE(refused.outcome.err.find(why), std::string::npos) << refused.outcome.describe();
    };
    fs::create_directory(own);
    fs::permissions(own, fs::perms::all);
    expect_refused("others may write to it or read it; set TMPDIR to another folder");
    EXPECT_TRUE(fs::is_empty(own));
    fs::remove(own);
    const std::string elsewhere = temporary.file("elsewhere");
    fs::create_directory(elsewhere);
    fs::create_directory_symlink(elsewhere, own);
    expect_refused("it is not a folder");
    EXPECT_TRUE(fs::is_empty(elsewhere));
}

// With and without us: what it prints and how it ends.
Watched expect_same_behaviour(const std::vector<std::string> &arguments) {
    const Outcome alone = run_alone(arguments);
    Watched watched = watch(arguments);
    EXPECT_EQ(watched.outcome.out, alone.out);
    EXPECT_EQ(watched.outcome.err, alone.err);
    EXPECT_EQ(watched.outcome.exit_code, alone.exit_code);
    EXPECT_EQ(watched.outcome.signal, alone.signal);
    return watched;
}

TEST(Manners, CallsThatSleepAreNotDisturbed) {
    OCB_SKIP_IF_SANITIZED();
    const Watched watched = expect_same_behaviour({kClangSleeps});
    EXPECT_EQ(watched.outcome.out.find("too early"), std::string::npos) << watched.outcome.out;
    EXPECT_EQ(watched.outcome.out.find("Interrupted"), std::string::npos) << watched.outcome.out;
    // And they were seen: each OpenMP thread slept most of its time, in the region.
    ASSERT_EQ(watched.profiles.size(), 1U);
    ASSERT_EQ(regions_of(watched.profile()).size(), 1U);
    const report::StateTimes times = regions_of(watched.profile())[0].times;
    EXPECT_GT(times.wall[kAsleepState], 2 * (3 * 15 * 0.015 + 1));
    EXPECT_EQ(times.cpu[kAsleepState], 0);
    EXPECT_LT(times.cpu[THR_WORK_STATE], times.wall[kAsleepState] / 2);
    EXPECT_GT(times.cpu[THR_WORK_STATE], 0.1);
    EXPECT_TRUE(watched.profile().has_cpu_times);
}

TEST(Manners, TheSamplingSignalStaysTheProgramsOwn) {
    OCB_SKIP_IF_SANITIZED();
    const Watched watched = expect_same_behaviour({kClangUrgent});
    ASSERT_EQ(watched.profiles.size(), 1U);
    EXPECT_GT(watched.profiles[0].threads[0].samples, 10U);
    EXPECT_FALSE(watched.profile().signal_taken);
}

// The dynamic linker tells who loads what: the collector brings no unwinder of its own.
TEST(Manners, NoUnwinderIsLoaded) {
    const Watched watched = watch({kClangSleeps}, {{"LD_DEBUG", "files"}});
    ASSERT_EQ(watched.profiles.size(), 1U);
    std::istringstream lines(watched.outcome.err);
    int loads = 0;
    for (std::string line; std::getline(lines, line);) {
        const bool is_load = line.find("dynamically loaded by") != std::string::npos;
        loads += is_load ? 1 : 0;
        EXPECT_FALSE(is_load && line.find("libgcc_s") != std::string::npos &&
                     line.find("ompcollect") != std::string::npos)
            << line;
    }
    EXPECT_GT(loads, 0) << "the dynamic linker told nothing";
}

TEST(Manners, PythonHasItsHandler) {
    OCB_SKIP_IF_SANITIZED();
    if (!fs::exists("/usr/bin/python3")) {
        GTEST_SKIP() << "python3 is not installed";
    }
    const char *script = R"(
import ctypes, os, signal, sys
count = 0
def handle(number, frame):
    global count
    count += 1
signal.signal(signal.SIGURG, handle)
library = ctypes.CDLL(sys.argv[1])
for i in range(3):
    library.run_region(50)
    os.kill(os.getpid(), signal.SIGURG)
print(count, signal.getsignal(signal.SIGURG) is handle)
)";
    const Watched watched = expect_same_behaviour({"/usr/bin/python3", "-c", script, kLateRegion});
    EXPECT_EQ(watched.outcome.out, "3 True\n");
    ASSERT_EQ(watched.profiles.size(), 1U);
    EXPECT_EQ(watched.profile().events[OMP_EVENT_FORK].count, 3U);
}

TEST(Manners, ProcessesWithoutOpenMPLeaveNothing) {
    OCB_SKIP_IF_SANITIZED();
    const std::string script = "/bin/true; ls / >/dev/null; (exit 3); \"$0\" exit 0; kill -URG $$; "
                               "sleep 0.1; echo done";
    const Watched watched = expect_same_behaviour({"/bin/sh", "-c", script, kClangEnding});
    EXPECT_EQ(watched.outcome.out, "done\n");
    ASSERT_EQ(watched.profiles.size(), 1U);
    EXPECT_TRUE(watched.profile().program.ends_with("ending"));
}

TEST(Manners, ThreadsWithoutOpenMPAreOutsideTheSums) {
    OCB_SKIP_IF_SANITIZED();
    const Watched watched = expect_same_behaviour({kClangManners, "bystander"});
    ASSERT_EQ(watched.profiles.size(), 1U);
    EXPECT_EQ(watched.profiles[0].threads.size(), 2U);
    EXPECT_EQ(watched.profile().other_threads, 1U);
    EXPECT_GT(watched.profile().other_cpu_seconds, 0.6); // it works for 0.7 s
    const double known = total_cpu(StateTables(watched.profile()).all);
    EXPECT_NEAR(known + watched.profile().other_cpu_seconds, watched.profile().cpu_seconds,
                0.1 + 0.1 * watched.profile().cpu_seconds);
}

// A tick takes the processor from somebody. Where nobody rests there is nothing to charge: it comes
// every fourth period. Where no real-time priority is permitted and the machine has other work, a
// thread waits for its processor, and rests: some tries.
TEST(Manners, NobodyIsLookedAtWhoDoesNotRest) {
    OCB_SKIP_IF_SANITIZED();
    constexpr int kTries = 20;
    constexpr long kMs = 300;
    const long periods = std::stol(rate_here("500")) * kMs / 1000; // watch() asks for that rate
    for (int i = 0; i < kTries; ++i) {
        const Watched watched = watch({kClangManners, "looks", std::to_string(kMs)});
        const std::string &err = watched.outcome.err;
        double share = 0;
        long busy = 0, sleeping = 0;
        ASSERT_EQ(sscanf(err.c_str(), "looks %lf %ld %ld", &share, &busy, &sleeping), 3) << err;
        if (share > 0.98) {
            EXPECT_GT(sleeping, periods / 3) << err;
            EXPECT_GT(busy, periods / 10) << err;
            EXPECT_LT(busy, periods / 2) << err;
            return;
        }
    }
    FAIL() << "no thread has had a processor for itself";
}

struct ProgramEnd {
    const char *name;
    std::vector<std::string> arguments;
    int exit_code; // -1: by a signal
    int signal;
    Ending ending;
};

TEST(Manners, TheProfileIsThereWhateverTheEnd) {
    OCB_SKIP_IF_SANITIZED();
    const auto by = [](int signal) {
        return std::vector<std::string>{kClangEnding, "signal", std::to_string(signal)};
    };
    const ProgramEnd ends[] = {
        {"exit", {kClangEnding, "exit", "7"}, 7, 0, Ending::kExit},
        {"_exit", {kClangEnding, "_exit", "4"}, 4, 0, Ending::kQuitFast},
        {"quick_exit", {kClangEnding, "quick_exit", "5"}, 5, 0, Ending::kQuitFast},
        {"exec", {kClangManners, "become", "/bin/true"}, 0, 0, Ending::kExec},
        {"failed exec", {kClangManners, "become", "/nonexistent"}, 0, 0, Ending::kExit},
        {"SIGINT", by(SIGINT), -1, SIGINT, Ending::kNone},
        {"SIGTERM", by(SIGTERM), -1, SIGTERM, Ending::kNone},
        {"SIGKILL", by(SIGKILL), -1, SIGKILL, Ending::kNone},
        {"SIGABRT", by(SIGABRT), -1, SIGABRT, Ending::kNone},
        {"SIGSEGV", by(SIGSEGV), -1, SIGSEGV, Ending::kNone},
    };
    for (const ProgramEnd &end : ends) {
        SCOPED_TRACE(end.name);
        // At most the kernel's tick: a fine timer waits for the sampling thread, which a busy
        // machine may not run in that twentieth of a second.
        const Watched watched = watch(end.arguments, {{"OMPCOLLECT_RATE", "200"}});
        EXPECT_EQ(watched.outcome.exit_code, end.exit_code);
        EXPECT_EQ(watched.outcome.out, end.name == std::string("quick_exit") ? "quick\n" : "");
        EXPECT_EQ(watched.outcome.signal, end.signal);
        ASSERT_EQ(watched.profiles.size(), 1U);
        const Process &profile = watched.profile();
        EXPECT_EQ(profile.ending, end.ending);
        if (end.ending == Ending::kExit || end.ending == Ending::kQuitFast) {
            EXPECT_EQ(profile.exit_code, end.exit_code);
        }
        EXPECT_FALSE(profile.is_partial);
        ASSERT_EQ(regions_of(watched.profile()).size(), 1U);
        EXPECT_EQ(entries_of(watched.profile()), 1U);
        EXPECT_GT(regions_of(watched.profile())[0].times.wall[THR_WORK_STATE], 0);
    }
}

TEST(Manners, AForkedChildHasAProfileOfItsOwn) {
    OCB_SKIP_IF_SANITIZED();
    const Watched watched = watch({kClangEnding, "fork"});
    ASSERT_EQ(watched.profiles.size(), 2U);
    for (const auto &loaded : watched.profiles) {
        EXPECT_EQ(loaded.events[OMP_EVENT_FORK].count, 1U);
        EXPECT_EQ(loaded.threads.size(), 2U);
        EXPECT_EQ(loaded.ending, Ending::kExit);
    }
    EXPECT_NE(watched.profiles[0].pid, watched.profiles[1].pid);
}

// From the root: R for a region, f for a frame.
std::string shape_of(const Process &loaded, size_t path) {
    const report::Node &row = loaded.nodes[path];
    const std::string before = row.parent >= 0 ? shape_of(loaded, row.parent) : "";
    return before + (row.kind == report::NodeKind::kRegion ? "R" : "f");
}

// The regions that it is in go on, and their call paths are those of before.
TEST(Manners, AForkedChildsRegionsKeepTheirPaths) {
    OCB_SKIP_IF_SANITIZED();
    const Watched watched = watch({kClangManners, "forks_inside"});
    ASSERT_EQ(watched.profiles.size(), 2U);
    for (const auto &loaded : watched.profiles) {
        std::set<std::string> regions;
        for (size_t path = 0; path < loaded.nodes.size(); ++path) {
            if (loaded.nodes[path].kind == report::NodeKind::kRegion) {
                regions.insert(shape_of(loaded, path));
            }
        }
        // main, forks_inside, its region and body, inner_region, its region.
        EXPECT_EQ(regions, (std::set<std::string>{"ffR", "ffRffR"}));
    }
}

} // namespace
} // namespace ocb_test
