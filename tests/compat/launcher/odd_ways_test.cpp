// SPDX-License-Identifier: Apache-2.0
//
// Odd places, names and limits that launcher and collector must live with: the program does what it
// does without us, and the report is right.
#include "launcher_run.h"

#include <csignal>
#include <filesystem>
#include <fstream>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

const std::string kPrograms = OCB_TEST_PROGRAMS;
const std::string kLibraries = OCB_TEST_LIB_FOLDER;
constexpr char kReportHead[] = "== OpenMP profile of ";

// How often regions were entered that the named function forks: the sum over its rows in the table
// of regions.
unsigned long entries_of(const std::string &report, const std::string &function) {
    std::istringstream lines(report);
    unsigned long sum = 0;
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        inside = inside ? !line.empty() : line.starts_with("Parallel regions");
        if (inside && line.find(" " + function + " ") != std::string::npos) {
            sum += std::stoul(words_of(line)[0]);
        }
    }
    return sum;
}

// Of stacks in the collapsed format, whose last word is microseconds.
double processor_seconds_of(const std::string &stacks, const std::string &function) {
    std::istringstream lines(stacks);
    double sum = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.find(";" + function) != std::string::npos &&
            line.find("<no processor>") == std::string::npos) {
            sum += std::stod(line.substr(line.rfind(' '))) * 1e-6;
        }
    }
    return sum;
}

Outcome run_shell(const std::string &script, const std::vector<std::string> &arguments) {
    Command command;
    command.arguments = {"/bin/bash", "-c", script, kLauncher};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    return run(command);
}

// Whoever stands before clock_gettime, as faketime does: the collector's clock is the system's.
TEST(FalseClocks, AreThePrograms) {
    OCB_SKIP_IF_SANITIZED();
    if (kLibraries.find(' ') != std::string::npos) {
        GTEST_SKIP() << "LD_PRELOAD takes no path with a space";
    }
    for (const std::string &program : {kClangEnding, kGccEnding}) {
        const Outcome outcome =
            launch({program}, {{"LD_PRELOAD", kLibraries + "/libocb-false-clock.so"}});
        EXPECT_NE(outcome.err.find(kReportHead), std::string::npos) << outcome.describe();
        EXPECT_EQ(outcome.err.find("no profile"), std::string::npos) << outcome.err;
    }
}

// Where it cannot be, the profile is not read, and no other cause is made up.
TEST(FalseClocks, AreNoProgramWithoutRegions) {
    OCB_SKIP_IF_SANITIZED();
    if (kLibraries.find(' ') != std::string::npos) {
        GTEST_SKIP() << "LD_PRELOAD takes no path with a space";
    }
    const Outcome outcome =
        launch({kClangEnding}, {{"LD_PRELOAD", kLibraries + "/libocb-false-clock.so"},
                                {"OCB_TEST_HIDES_LIBC", "1"}});
    EXPECT_NE(outcome.err.find("was not read: "), std::string::npos) << outcome.describe();
    EXPECT_NE(outcome.err.find("the line above names the cause"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("parallel region"), std::string::npos) << outcome.err;
}

// The second library stands where the first one stood.
TEST(OddLibraries, TakeEachOthersPlace) {
    OCB_SKIP_IF_SANITIZED();
    for (const std::string &folder : {kPrograms + "/clang", kPrograms + "/gcc"}) {
        const std::string first = folder + "/libfirst.so";
        const std::string other = folder + "/libother.so";
        const Outcome outcome =
            launch({"--show", "regions", folder + "/opener", first, other, first, first});
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        const std::vector<std::string> places = words_of(outcome.out);
        ASSERT_EQ(places.size(), 4U);
        EXPECT_EQ(places[0], places[1]) << "nothing is tested: the libraries lie apart";
        EXPECT_EQ(entries_of(outcome.err, "fork_first"), 3U) << outcome.err;
        EXPECT_EQ(entries_of(outcome.err, "fork_other"), 1U) << outcome.err;
    }
}

// Before OpenMP's first call, as MPI_Init opens and closes its libraries. Each computes for 0.3 s
// whenever it is open: the names of its time are its own.
TEST(OddLibraries, HaveTheirNamesBeforeOpenMpBegins) {
    OCB_SKIP_IF_SANITIZED();
    for (const std::string &folder : {kPrograms + "/clang", kPrograms + "/gcc"}) {
        const std::string first = folder + "/libfirst.so";
        const std::string other = folder + "/libother.so";
        const TemporaryFolder runs;
        const std::string file = runs.file("run.ompc");
        const Outcome outcome =
            launch({"-o", file, folder + "/opener", "before", first, other, other, first, other});
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        const std::vector<std::string> places = words_of(outcome.out);
        ASSERT_EQ(places.size(), 5U);
        EXPECT_EQ(places[0], places[1]) << "nothing is tested: the libraries lie apart";
        const Outcome paths = launch({"report", file, "--format", "collapsed"});
        EXPECT_NEAR(processor_seconds_of(paths.out, "compute_first"), 0.6, 0.28) << paths.out;
        EXPECT_NEAR(processor_seconds_of(paths.out, "compute_other"), 0.6, 0.28) << paths.out;
    }
}

// Samples come while a library's code is unmapped and another one's is put there.
TEST(OddLibraries, AreUnmappedWhileTheyAreSampled) {
    OCB_SKIP_IF_SANITIZED();
    constexpr int kTimes = 15;
    for (const std::string &folder : {kPrograms + "/clang", kPrograms + "/gcc"}) {
        std::vector<std::string> words = {"--show", "regions", "--rate", "1000",
                                          folder + "/opener"};
        for (int i = 0; i < kTimes; ++i) {
            words.push_back(folder + "/libfirst.so");
            words.push_back(folder + "/libother.so");
        }
        const Outcome outcome = launch(words);
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_EQ(entries_of(outcome.err, "fork_first"), kTimes) << outcome.err;
        EXPECT_EQ(entries_of(outcome.err, "fork_other"), kTimes) << outcome.err;
    }
}

// Their allocator is before our libraries, and behind them.
TEST(OddLibraries, MayBringTheirOwnAllocator) {
    OCB_SKIP_IF_SANITIZED();
    for (const std::string allocator : {"libjemalloc.so.2", "libtcmalloc_minimal.so.4"}) {
        for (const std::string &program : {kClangEnding, kGccEnding}) {
            const Outcome before =
                launch({"--rate", "1000", program, "preload"}, {{"LD_PRELOAD", allocator}});
            const Outcome behind =
                launch({"--rate", "1000", "/bin/sh", "-c",
                        "LD_PRELOAD=$LD_PRELOAD:" + allocator + " exec " + program + " preload"});
            EXPECT_TRUE(before.out.starts_with(allocator + ":")) << before.describe();
            EXPECT_TRUE(behind.out.ends_with(":" + allocator + "\n")) << behind.describe();
            for (const Outcome &outcome : {before, behind}) {
                EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
                EXPECT_NE(outcome.err.find("region ending.c:"), std::string::npos) << outcome.err;
                EXPECT_EQ(outcome.err.find("cannot be preloaded"), std::string::npos);
            }
        }
    }
}

TEST(OddLibraries, AreOpenedByARelativeName) {
    OCB_SKIP_IF_SANITIZED();
    const std::string folder = kPrograms + "/clang/";
    const Outcome outcome =
        launch({"--show", "regions", folder + "opener", folder, "./libfirst.so", "/usr/", "/"});
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(entries_of(outcome.err, "fork_first"), 1U) << outcome.err;
}

// In each way of binding: a slot, a table of data, dlsym, and another object. Fork and lock are
// called, too, so that the slot that is read may be the one that is called.
TEST(Addresses, AreThoseThatTheProgramHasWithoutUs) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const Outcome built = run_shell(R"SH(
        cd "$1" && cat > program.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
typedef void (*function)(omp_lock_t *);
function of_library(void);
static function table[] = {omp_set_lock, omp_unset_lock};
int main(void) {
    volatile function own = omp_set_lock;
    const function found = (function)dlsym(RTLD_DEFAULT, "omp_set_lock");
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
    {
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
    }
    own(&lock);
    table[1](&lock);
    printf("%d %d %d\n", own == found, own == table[0], own == of_library());
}
END
        cat > library.c <<'END'
#include <omp.h>
typedef void (*function)(omp_lock_t *);
function of_library(void) { return omp_set_lock; }
END
        for compiler in gcc clang-14; do
            $compiler -shared -fPIC -fopenmp -o lib$compiler.so library.c || exit 1
            for kind in "-fPIE -pie" "-fno-pie -no-pie"; do
                for binding in lazy now; do
                    for plt in -fplt -fno-plt; do
                        $compiler -O1 $kind $plt -fopenmp program.c -o \
                            "$compiler$kind $binding$plt" -Wl,-z,$binding "$PWD/lib$compiler.so" \
                            -ldl || exit 1
                    done
                done
            done
        done
    )SH",
                                    {folder.file("")});
    ASSERT_TRUE(built.succeeded()) << built.describe();
    unsigned programs = 0;
    for (const auto &entry : fs::directory_iterator(folder.file(""))) {
        const std::string program = entry.path();
        if (entry.path().filename().string().find(' ') == std::string::npos) {
            continue;
        }
        SCOPED_TRACE(program);
        const Outcome plain = run_shell("exec \"$1\"", {program});
        ASSERT_TRUE(plain.succeeded()) << plain.describe();
        EXPECT_EQ(launch({program}).out, plain.out);
        ++programs;
    }
    EXPECT_EQ(programs, 16U);
}

TEST(OddLibraries, HaveNamesThatTheLinkerSplits) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string collector = folder.file("lib col:lector.so");
    fs::copy_file(kLibraries + "/libocb-fake-collector.so", collector);
    const Outcome outcome = launch({"--collector", collector, kClangEnding, "exit", "5"},
                                   {{"OCB_TEST_LOG", folder.file("log")}});
    EXPECT_EQ(outcome.exit_code, 5) << outcome.describe();
    EXPECT_EQ(outcome.err, "");
    EXPECT_GT(fs::file_size(folder.file("log")), 0U);
}

// Longer than any buffer for names, and with what would spoil a report.
TEST(OddNames, AreKeptAndShownAsText) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    std::string place = folder.file("a\tb\nc\x1b[31m d");
    for (int i = 0; i < 4; ++i) {
        place += "/" + std::string(200, static_cast<char>('k' + i));
    }
    fs::create_directories(place);
    const std::string program = place + "/odd program";
    fs::copy_file(kClangEnding, program);
    const Outcome outcome = launch({program, "exit", "3", "\x1b[2J\r"});
    EXPECT_EQ(outcome.exit_code, 3) << outcome.describe();
    EXPECT_EQ(count(outcome.err, kReportHead), 1U) << outcome.err;
    EXPECT_NE(outcome.err.find("region ending.c:"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(" program exit 3"), std::string::npos) << outcome.err;
    for (const char c : outcome.err) {
        EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= ' ') << static_cast<int>(c);
    }
}

// No thread gets a timer: one line says so, and all are read from outside.
TEST(OddLimits, NoTimers) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome outcome =
        run_shell(R"(ulimit -i 0 && "$0" "$1" threads 30)", {kPrograms + "/clang/many"});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(lines_with_prefix(outcome.err, "[ompcollect] ").size(), 1U) << outcome.err;
    EXPECT_EQ(count(outcome.err, kReportHead), 1U) << outcome.err;
    const Outcome work =
        run_shell(R"(ulimit -i 0 && "$0" --show states "$1" exit 0)", {kClangEnding});
    // Of the time in which it had a processor: other tests may have taken most of it.
    auto shares = total_shares(work.err);
    EXPECT_GT(shares["WORK"], 0.1 * (100 - shares["NOPROC"])) << work.err;
}

// A limit that the tables fit into, and the samples with their times do not: to write on would end
// the program by SIGXFSZ.
TEST(OddLimits, SamplesMeetALimitOnFiles) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string run = folder.file("run.ompc");
    const Outcome outcome =
        launch({"--rate", "10000", "-o", run, "/bin/sh", "-c",
                R"(ulimit -f 400; exec "$0" busy 1500)", kPrograms + "/clang/manners"});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_TRUE(fs::exists(run)) << outcome.describe();
}

// A program that may write no file: none of ours may end it, whenever the limit came.
TEST(OddLimits, NoFileMayHaveAByte) {
    OCB_SKIP_IF_SANITIZED();
    const std::string libgomp = kPrograms + "/gcc/manners";
    const Outcome from_begin =
        launch({"/bin/sh", "-c", R"(ulimit -f 0; exec "$0" busy 50)", libgomp});
    EXPECT_TRUE(from_begin.succeeded()) << from_begin.describe();
    EXPECT_NE(from_begin.err.find("(File too large); raise the limit"), std::string::npos)
        << from_begin.err;
    for (const std::string &program : {libgomp, kPrograms + "/clang/manners"}) {
        // The time line comes to a fourth of what is left again and again.
        for (int i = 0; i < 4; ++i) {
            const Outcome amid = launch({"--rate", "10000", program, "no_files", "100"});
            EXPECT_TRUE(amid.succeeded()) << amid.describe();
        }
    }
}

// What the kernel permits to a process of one thread: ours is out of the way, and is there again.
TEST(OddSystems, AProgramOfOneThreadEntersNameSpaces) {
    OCB_SKIP_IF_SANITIZED();
    for (const char *compiler : {"/gcc/alone", "/clang/alone"}) {
        Command plain;
        plain.arguments = {kPrograms + compiler};
        const Outcome alone = run(plain);
        if (alone.exit_code == 77) {
            GTEST_SKIP() << "name spaces of users are not permitted here";
        }
        ASSERT_TRUE(alone.succeeded()) << alone.describe();
        for (const char *rate : {"97", "10000"}) {
            const Outcome outcome = launch({"--rate", rate, kPrograms + compiler});
            EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
            EXPECT_EQ(outcome.out, alone.out);
            EXPECT_NE(outcome.err.find("refusal 2\nthreads 2\n"), std::string::npos) << outcome.err;
            EXPECT_EQ(count(outcome.err, kReportHead), 1U) << outcome.err;
        }
    }
}

// A filter that kills at every system call but the program's own and those of docs/OMPCOLLECT.md.
TEST(OddSystems, ASealedProgramLetsTheDocumentedCallsPass) {
    OCB_SKIP_IF_SANITIZED();
    const std::string program = kPrograms + "/gcc/sealed";
    Command plain;
    plain.arguments = {program};
    const Outcome alone = run(plain);
    if (alone.exit_code == 77) {
        GTEST_SKIP() << "no filter is permitted here";
    }
    ASSERT_TRUE(alone.succeeded()) << alone.describe();
    const Outcome outcome = launch({program, "more"});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.out, alone.out);
    EXPECT_EQ(count(outcome.err, kReportHead), 1U) << outcome.err;
    // The filter is there: what the collector needs is not in the program's own list.
    EXPECT_EQ(launch({program}).signal, SIGSYS);
}

// Without /proc the launcher's place is the one that exec got, whatever lies beside the current
// folder.
TEST(OddSystems, WithoutProc) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    fs::create_directories(folder.file("here"));
    fs::create_directories(folder.file("lib"));
    for (const char *library : {"libomp-collector-bridge.so.0", "libompcollect-preload.so",
                                "libomp-collector-front.so"}) {
        std::ofstream(folder.file("lib/") + library) << "not ours";
    }
    // The files of /proc/self are gone with it; a number of the shell stands for the result.
    const std::string script = R"(
        mount -t tmpfs none /proc 2>/dev/null || exit 77
        cd "$2" && PATH="${0%/*}:$PATH" && "$0" --dry-run "$1" && ompcollect --dry-run "$1"
    )";
    Command command;
    command.arguments = {"/usr/bin/unshare", "-rm",        "/bin/bash",        "-c", script,
                         kLauncher,          kClangEnding, folder.file("here")};
    const Outcome outcome = run(command);
    if (outcome.exit_code == 77 || outcome.err.find("unshare:") != std::string::npos) {
        GTEST_SKIP() << "nothing can be mounted here";
    }
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(count(outcome.out, kLibraries + "/libompcollect-preload.so"), 2U)
        << outcome.describe();
    EXPECT_EQ(outcome.out.find(folder.file("lib")), std::string::npos) << outcome.out;
}

} // namespace
} // namespace ocb_test
