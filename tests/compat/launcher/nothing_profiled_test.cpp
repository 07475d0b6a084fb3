// SPDX-License-Identifier: Apache-2.0
//
// A job without a profile: one line of the launcher says what was there and what to do, and the
// program runs as it does without us.
#include "launcher_run.h"

#include <filesystem>
#include <fstream>
#include <sys/statvfs.h>
#include <unistd.h>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

const std::string kPrograms = OCB_TEST_PROGRAMS;
const std::string kLibraries = OCB_TEST_LIB_FOLDER;

// One line says why, and no other comes but those that begin so.
void expect_line(const Outcome &outcome, const std::string &says, int exit_code = 0,
                 const std::vector<std::string> &others = {}) {
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.describe();
    EXPECT_EQ(lines_with_prefix(outcome.err, "ompcollect: no profile (exit code ").size(), 1U)
        << outcome.describe();
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.describe();
    for (const std::string &other : others) {
        EXPECT_EQ(lines_with_prefix(outcome.err, other).size(), 1U) << outcome.describe();
    }
    EXPECT_EQ(lines_with_prefix(outcome.err, "ompcollect: ").size(), 1 + others.size())
        << outcome.describe();
}

TEST(NothingProfiled, NoRegionWasForked) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome clang = launch({kPrograms + "/clang/no_region"});
    expect_line(clang, "got no event of a parallel region: the process forked none");
    EXPECT_NE(clang.err.find("libomp"), std::string::npos) << clang.describe();
    expect_line(launch({kPrograms + "/gcc/no_region"}), "got no event of a parallel region");
}

TEST(NothingProfiled, TheProgramIsItsOwnTool) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome outcome = launch({kPrograms + "/clang/own_tool"});
    expect_line(outcome, "own_tool has an OMPT tool of its own");
    EXPECT_EQ(outcome.out, "own tool attached\n");
}

TEST(NothingProfiled, AnotherToolIsPreloaded) {
    OCB_SKIP_IF_SANITIZED();
    if (kLibraries.find(' ') != std::string::npos) {
        GTEST_SKIP() << "LD_PRELOAD takes no path with a space";
    }
    const std::string tool = kLibraries + "/libocb-other-tool.so";
    expect_line(launch({kClangEnding}, {{"LD_PRELOAD", tool}}),
                tool + " in LD_PRELOAD has an OMPT tool");
}

// The bridge names the cause, the launcher the process.
TEST(NothingProfiled, TheRuntimeIsRefused) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome outcome = launch({kPrograms + "/gcc/asks"});
    expect_line(outcome, "or a line of the bridge above names the cause");
    EXPECT_EQ(lines_with_prefix(outcome.err, "[omp-collector-bridge] error: ").size(), 1U)
        << outcome.describe();
}

// The program has thousands of regions, and is not told that it has none.
TEST(NothingProfiled, AnotherSessionRuns) {
    OCB_SKIP_IF_SANITIZED();
    for (const char *compiler : {"/clang", "/gcc"}) {
        const Outcome outcome = launch(
            {kPrograms + compiler + "/own_session", kLibraries + "/libomp-collector-bridge.so"});
        expect_line(outcome, "whose line above names the cause");
        EXPECT_NE(outcome.err.find("collector got no session"), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.out, "1000\n");
        const auto lines = lines_with_prefix(outcome.err, "[ompcollect] ");
        ASSERT_EQ(lines.size(), 1U) << outcome.describe();
        EXPECT_NE(lines[0].find("another collector has a session in this process"),
                  std::string::npos)
            << lines[0];
        EXPECT_EQ(outcome.err.find("no event of a parallel region"), std::string::npos)
            << outcome.err;
    }
}

TEST(NothingProfiled, TheProgramChangesItsUser) {
    OCB_SKIP_IF_SANITIZED();
    if (geteuid() != 0) {
        GTEST_SKIP() << "not root";
    }
    const TemporaryFolder folder;
    struct statvfs mount = {};
    ASSERT_EQ(statvfs(folder.file("").c_str(), &mount), 0);
    if ((mount.f_flag & ST_NOSUID) != 0) {
        GTEST_SKIP() << "the folder for temporary files is mounted nosuid";
    }
    const std::string program = folder.file("program");
    fs::copy_file(kClangEnding, program);
    ASSERT_EQ(chown(program.c_str(), 65534, 65534), 0);
    fs::permissions(program, fs::perms::set_uid, fs::perm_options::add);
    const Outcome outcome = launch({program, "exit", "4"});
    expect_line(outcome, "program changes its user or group (setuid)", 4);
}

// exit(5) of i386: two headers, 32 bits wide, and the code behind them.
std::string program_of_i386() {
    const unsigned char
        bytes[] = {0x7f, 'E',  'L',  'F',  1,    1,    1,   0, 0,    0,    0, 0,    0,
                   0,    0,    0,                              // magic, 32 bits
                   2,    0,    3,    0,    1,    0,    0,   0, // executable, i386
                   0x54, 0x80, 0x04, 0x08, 0x34, 0,    0,   0, 0,    0,    0, 0,    0,
                   0,    0,    0,    0x34, 0,    0x20, 0,   1, 0,    0x28, 0, 0,    0,
                   0,    0,    1,    0,    0,    0,    0,   0, 0,    0,    0, 0x80, 0x04,
                   0x08, 0,    0x80, 0x04, 0x08, 0x60, 0,   0, 0,    0x60, 0, 0,    0,
                   5,    0,    0,    0,    0,    0x10, 0,   0, 0xb8, 1,    0, 0,    0,
                   0xbb, 5,    0,    0,    0,    0xcd, 0x80}; // mov $1,%eax; mov $5,%ebx; int $0x80
    return {reinterpret_cast<const char *>(bytes), sizeof bytes};
}

TEST(NothingProfiled, AProgramOfAnotherWordSizeRuns) {
    const TemporaryFolder folder;
    const std::string program = folder.file("i386");
    std::ofstream(program, std::ios::binary) << program_of_i386();
    fs::permissions(program, fs::perms::owner_all);
    Command alone;
    alone.arguments = {program};
    if (run(alone).exit_code != 5) {
        GTEST_SKIP() << "programs of i386 do not run here";
    }
    const Outcome outcome = launch({program});
    EXPECT_EQ(outcome.exit_code, 5) << outcome.describe();
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(
        outcome.err,
        "ompcollect: " + program +
            " is a program for another machine or word size than the bridge, so "
            "it runs without a profile; build the bridge for that machine, if it has 64 bits\n");
    const Outcome by_shell = launch({"sh", "-c", program + " || exit 6"});
    expect_line(by_shell, program + " is a program for another machine or word size", 6);
}

// Nothing runs it, and no shell takes it for a text.
TEST(NothingProfiled, AProgramOfAnotherMachineIsNotGivenToAShell) {
    const TemporaryFolder folder;
    const std::string program = folder.file("vax");
    std::string bytes = program_of_i386();
    bytes[18] = 75; // the machine
    std::ofstream(program, std::ios::binary) << bytes << "\necho a line of a shell\n";
    fs::permissions(program, fs::perms::owner_all);
    const Outcome outcome = launch({program});
    EXPECT_EQ(outcome.exit_code, 126) << outcome.describe();
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err,
              "ompcollect: " + program +
                  ": Exec format error; it is for another machine, and no emulator for it is set "
                  "up here (binfmt_misc): build it for this one\n");
}

TEST(NothingProfiled, LibgompHasNoToolsInterface) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    fs::create_directories(folder.file("bin"));
    fs::create_directories(folder.file("lib"));
    fs::copy_file(kLauncher, folder.file("bin/ompcollect"));
    for (const char *library : {"libomp-collector-bridge.so.0", "libompcollect-default.so",
                                "libompcollect-preload.so", "libompcollect-placement.so"}) {
        fs::copy_file(fs::canonical(fs::path(kLibraries) / library), folder.file("lib/") + library);
    }
    Command command;
    command.arguments = {folder.file("bin/ompcollect"), "--runtime", "libgomp", kGccEnding};
    expect_line(run(command), "runs on libgomp, which has no tools interface", 0,
                {"ompcollect: libomp-collector-front.so is not in "});
}

TEST(NothingProfiled, TheProgramIsTheLauncher) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome outcome = launch({kLauncher, kClangEnding});
    expect_line(outcome, " is ompcollect itself, and the run is its own");
    EXPECT_NE(outcome.err.find("== OpenMP profile of "), std::string::npos) << outcome.describe();
}

TEST(NothingProfiled, TheEnvironmentIsCleaned) {
    OCB_SKIP_IF_SANITIZED();
    expect_line(launch({"/usr/bin/env", "-i", kGccEnding}), "a cleaned environment");
    expect_line(launch({"/usr/bin/env", "-i", kClangEnding}), "a cleaned environment");
}

// The user of a collector of their own hears it from the launcher, or not at all.
TEST(NothingCollected, IsSaidForAnyCollector) {
    OCB_SKIP_IF_SANITIZED();
    const std::string collector = OCB_TEST_LIB_FOLDER "/libocb-fake-collector.so";
    const std::pair<std::vector<std::string>, const char *> ways[] = {
        {{OCB_TEST_PROGRAMS "/static"}, "gets no events: "},
        {{"/usr/bin/env", OCB_TEST_PROGRAMS "/static"}, "is statically linked"},
        {{"/bin/true"}, "/bin/true needs no OpenMP runtime by itself"},
    };
    for (const auto &[words, says] : ways) {
        std::vector<std::string> arguments = {"--collector", collector};
        arguments.insert(arguments.end(), words.begin(), words.end());
        const Outcome outcome = launch(arguments);
        EXPECT_EQ(outcome.exit_code, words[0] == "/bin/true" ? 0 : 3) << outcome.describe();
        EXPECT_EQ(count(outcome.err, "\n"), 1U) << outcome.err;
        EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
    }
    const Outcome disabled =
        launch({"--collector", collector, kClangEnding}, {{"OMP_TOOL", "disabled"}});
    EXPECT_NE(disabled.err.find("gets no events: OMP_TOOL=disabled"), std::string::npos)
        << disabled.err;
    const Outcome useful = launch({"--collector", collector, kClangEnding});
    EXPECT_EQ(useful.err, "");
}

} // namespace
} // namespace ocb_test
