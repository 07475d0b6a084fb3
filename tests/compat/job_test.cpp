// SPDX-License-Identifier: Apache-2.0
//
// A job around the program: wrappers, several processes, output files, reports on the way, ends.
#include "launcher_run.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

constexpr char kReportHead[] = "== OpenMP profile of ";

std::string file_text(const std::string &path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

Outcome run_shell(const std::string &script, const std::vector<std::string> &arguments,
                  std::map<std::string, std::string> environment = {}) {
    Command command;
    command.arguments = {"/bin/bash", "-c", script, kLauncher};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = std::move(environment);
    return run(command);
}

struct WrapperCase {
    const char *name;
    const char *command; // $1 is the program
    int exit_code;
};

class Wrapper : public testing::TestWithParam<WrapperCase> {};

// "$0" is the launcher.
TEST_P(Wrapper, IsSeenThrough) {
    OCB_SKIP_IF_SANITIZED();
    for (const std::string &program : {kClangEnding, kGccEnding}) {
        const Outcome outcome = run_shell(std::string("\"$0\" ") + GetParam().command, {program});
        EXPECT_EQ(outcome.exit_code, GetParam().exit_code) << outcome.describe();
        EXPECT_GE(count(outcome.err, kReportHead), 1U) << outcome.describe();
        EXPECT_NE(outcome.err.find("region ending.c:"), std::string::npos) << outcome.describe();
    }
}

INSTANTIATE_TEST_SUITE_P(Launcher, Wrapper,
                         testing::Values(WrapperCase{"taskset", "taskset -c 0 $1 exit 3", 3},
                                         WrapperCase{"nice", "nice -n 1 $1 exit 3", 3},
                                         WrapperCase{"timeout", "timeout 60 $1 exit 3", 3},
                                         WrapperCase{"env", "env A=b $1 exit 3", 3},
                                         WrapperCase{"setsid", "setsid -w $1 exit 3", 3},
                                         WrapperCase{"nohup", "nohup $1 exit 3", 3},
                                         WrapperCase{"stdbuf", "stdbuf -o0 $1 exit 3", 3},
                                         WrapperCase{"xargs", "xargs -a /dev/null $1 exit", 0},
                                         WrapperCase{"bash", "bash -c \"$1 exit 3; exit 4\"", 4},
                                         WrapperCase{"sh_exec", "sh -c \"exec $1 exit 3\"", 3},
                                         WrapperCase{"wrapped_twice",
                                                     "nice env taskset -c 0 $1 exit 3", 3}),
                         [](const auto &row) { return row.param.name; });

TEST(Job, WritesAFileForEachProcess) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const Outcome outcome = launch({"-o", folder.file("a %p.txt"), kClangEnding, "fork"});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.err, "");
    size_t files = 0;
    for (const auto &entry : fs::directory_iterator(folder.file(""))) {
        const std::string text = file_text(entry.path());
        const std::string name = entry.path().filename();
        EXPECT_EQ(count(text, kReportHead), 1U);
        EXPECT_NE(text.find("pid " + name.substr(2, name.find('.') - 2)), std::string::npos)
            << name << text;
        ++files;
    }
    EXPECT_EQ(files, 2U);
}

// As mpirun does: a launcher for each rank, all with the same words.
TEST(Job, RanksDoNotOverwriteEachOther) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string script = R"(
        for rank in 0 1 2; do
            OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=3 "$0" -o "$2" "$1" &
        done
        wait
    )";
    const Outcome outcome = run_shell(script, {kClangEnding, folder.file("out")});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    for (const char *name : {"out.0", "out.1", "out.2"}) {
        EXPECT_EQ(count(file_text(folder.file(name)), kReportHead), 1U) << name;
    }
}

// Launchers that nothing tells apart, at the same time on one file and on one stderr.
TEST(Job, ReportsOfSeveralLaunchersAreWhole) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string script = R"(
        for i in 1 2 3 4; do "$0" -o "$2" "$1" & "$0" "$1" & done
        wait
    )";
    const Outcome outcome = run_shell(script, {kClangEnding, folder.file("out")});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    for (const std::string &text : {file_text(folder.file("out")), outcome.err}) {
        EXPECT_EQ(count(text, kReportHead), 4U) << text;
        std::string rest = text;
        for (int i = 0; i < 4; ++i) { // head, tables, and the last line, in this order
            const size_t head = rest.find(kReportHead);
            const size_t end = rest.find("\nSamples\n");
            ASSERT_NE(end, std::string::npos) << text;
            EXPECT_LT(head, end);
            EXPECT_EQ(rest.find(kReportHead, head + 1) > end, true) << text;
            rest = rest.substr(end + 1);
        }
    }
}

TEST(Job, AFullDiskIsOneLineAndAnExitCode) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome outcome = launch({"-o", "/dev/full", kClangEnding});
    EXPECT_EQ(outcome.exit_code, 125) << outcome.describe();
    EXPECT_EQ(
        outcome.err,
        "ompcollect: the profile could not be written to /dev/full: No space left on device\n");
}

TEST(Job, AReaderThatIsGoneIsNoCrash) {
    OCB_SKIP_IF_SANITIZED();
    // The program itself writes nothing to the pipe.
    const Outcome outcome =
        run_shell(R"({ "$0" "$1"; echo "code $?"; } 2> >(exec 0<&-; sleep 0) )", {kClangEnding});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.describe();
    EXPECT_NE(outcome.out.find("code "), std::string::npos) << outcome.describe();
    EXPECT_EQ(outcome.out.find("code 141"), std::string::npos) << outcome.describe();
}

TEST(Job, ClosedDescriptorsAndIgnoredChildrenAreNoTrouble) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string script = R"("$0" -o "$2" "$1" exit 5 <&- >&- 2>&-)";
    Outcome outcome = run_shell(script, {kClangEnding, folder.file("out")});
    EXPECT_EQ(outcome.exit_code, 5) << outcome.describe();
    EXPECT_EQ(count(file_text(folder.file("out")), kReportHead), 1U);
    outcome = run_shell(R"(trap '' CHLD; exec "$0" "$1" exit 5)", {kClangEnding});
    EXPECT_EQ(outcome.exit_code, 5) << outcome.describe();
    EXPECT_EQ(count(outcome.err, kReportHead), 1U) << outcome.err;
}

TEST(Job, ALostCollectorIsAnError) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string library = folder.file("libcollector.so");
    Command command;
    command.arguments = {"/usr/bin/gcc",
                         "-shared",
                         "-fPIC",
                         "-x",
                         "c",
                         "/dev/null",
                         "-Wl,--no-as-needed",
                         "-o",
                         folder.file("libgone.so")};
    ASSERT_TRUE(run(command).succeeded());
    command.arguments = {"/usr/bin/gcc", "-shared", "-fPIC",
                         "-x",           "c",       "/dev/null",
                         "-x",           "none",    "-Wl,--no-as-needed",
                         "-o",           library,   "-L" + folder.file(""),
                         "-lgone"};
    ASSERT_TRUE(run(command).succeeded());
    fs::remove(folder.file("libgone.so"));
    for (const std::string &name : {library, std::string("libno-such-collector.so")}) {
        const Outcome outcome = launch({"--collector", name, kClangEnding});
        EXPECT_EQ(outcome.exit_code, 125) << outcome.describe();
        EXPECT_EQ(count(outcome.err, "\n"), 1U) << outcome.describe();
        EXPECT_NE(outcome.err.find("check what follows --collector"), std::string::npos);
    }
}

} // namespace
} // namespace ocb_test
