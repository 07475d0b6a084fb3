// SPDX-License-Identifier: Apache-2.0
//
// The built launcher with real programs: what it leaves as it was, what it says, what it prints.
#include "job_runs.h"
#include "launcher_run.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

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

TEST(Launcher, KeepsTheExitCode) {
    OCB_SKIP_IF_SANITIZED();
    for (const std::string &program : {kClangEnding, kGccEnding}) {
        for (const char *code : {"0", "7", "255"}) {
            const Outcome outcome = launch({"--", program, "exit", code});
            EXPECT_EQ(outcome.exit_code, atoi(code)) << outcome.describe();
            EXPECT_EQ(count(outcome.err, kReportHead), 1U) << outcome.describe();
        }
    }
}

TEST(Launcher, KeepsTheSignal) {
    OCB_SKIP_IF_SANITIZED();
    for (const int signal : {SIGTERM, SIGSEGV, SIGKILL, SIGPIPE}) {
        const Outcome outcome = launch({kClangEnding, "signal", std::to_string(signal)});
        EXPECT_EQ(outcome.signal, signal) << outcome.describe();
        EXPECT_EQ(count(outcome.err, kReportHead), 1U) << outcome.describe();
        EXPECT_NE(outcome.err.find("region ending.c:"), std::string::npos) << outcome.describe();
        EXPECT_NE(outcome.err.find("killed by signal " + std::to_string(signal)), std::string::npos)
            << outcome.describe();
    }
}

TEST(Launcher, PassesSignalsOn) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string ready = folder.file("ready");
    Command command;
    const std::string script = R"(
        "$0" "$1" await "$2" & launcher=$!
        until [ -f "$2" ]; do sleep 0.05; done
        kill -TERM $launcher
        wait $launcher
    )";
    command.arguments = {"/bin/sh", "-c", script, kLauncher, kClangEnding, ready};
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit_code, 42) << outcome.describe();
    EXPECT_EQ(count(outcome.err, kReportHead), 1U) << outcome.describe();
}

TEST(Launcher, ProfilesWhatGccBuiltOnItsOwnRuntime) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome outcome = launch({"--verbose", kGccEnding, "preload"});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_NE(outcome.err.find("stay on libgomp"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.out.find("libomp-collector-front.so"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("libomp.so"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.err.find("region ending.c:"), std::string::npos) << outcome.err;
}

TEST(Launcher, ProfilesWhatGccBuiltOnLibomp) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome outcome = launch({"--verbose", "--runtime", "libomp", kGccEnding, "preload"});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_NE(outcome.err.find("needs libgomp: preloading "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.out.find("libomp"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.err.find("region ending.c:"), std::string::npos) << outcome.err;
}

#ifdef __x86_64__
// Without its marks it still gives libgomp OMPT; on libomp it has nothing to do then.
TEST(Launcher, PreloadsTheFront) {
    OCB_SKIP_IF_SANITIZED();
    const std::string front = "libomp-collector-front.so";
    for (const std::string &program : {kClangEnding, kGccEnding}) {
        const Outcome outcome = launch({program, "preload"});
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_NE(outcome.out.find(front), std::string::npos) << outcome.out;
        EXPECT_NE(outcome.err.find("region ending.c:"), std::string::npos) << outcome.err;
        EXPECT_EQ(count(launch({"--no-front", "--dry-run", program}).out, "OCB_FRONT=off"), 1U);
        EXPECT_EQ(launch({"--no-front", program, "exit", "7"}).exit_code, 7);
    }
    EXPECT_EQ(launch({"--no-front", "--runtime", "libomp", kGccEnding, "preload"}).out.find(front),
              std::string::npos);
}
#endif

#ifdef __x86_64__
// Seconds on a processor in a state, of a program that is in the runtime most of the time. What it
// waits for a processor on a busy machine has any state.
double time_in(const std::string &state, const std::vector<std::string> &options) {
    std::vector<std::string> words = options;
    words.insert(words.end(), {"--show", "states", "--rate", "2000", OCB_TEST_RUNTIMES_TIME,
                               "loop_dynamic_long"});
    const Outcome outcome = launch(words);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    for (const std::string &line : lines_with_prefix(outcome.err, "  " + state + " ")) {
        std::istringstream columns(line);
        std::string name;
        double wall = 0, cpu = 0;
        if (columns >> name >> wall >> cpu) {
            return cpu;
        }
    }
    return 0;
}

TEST(Launcher, ShowsTheRuntimesOwnTimeUnlessDeclined) {
    OCB_SKIP_IF_SANITIZED();
    EXPECT_GT(time_in("OVHD", {}), time_in("WORK", {}));
    EXPECT_LT(time_in("OVHD", {"--no-front"}), time_in("WORK", {"--no-front"}));
}
#endif

TEST(Launcher, ShowsTheEnvironmentInADryRun) {
    OCB_SKIP_IF_SANITIZED();
    const std::string lib = OCB_TEST_LIB_FOLDER;
    Outcome outcome = launch({"--dry-run", "--rate", "500", kClangEnding, "exit", "it's"});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    if (lib.find(' ') == std::string::npos) {
        const std::string expected[] = {
            "LD_PRELOAD=" + lib + "/libomp-collector-front.so:" + lib + "/libompcollect-preload.so",
            "OMPCOLLECT_BRIDGE=" + lib + "/libomp-collector-bridge.so.0",
            "OMPCOLLECT_COLLECTOR=" + lib + "/libompcollect-default.so",
            "OMPCOLLECT_RATE=500",
            "OMPCOLLECT_CLOCK=wall",
            "OMPCOLLECT_STACKS=full",
            "OMPCOLLECT_SIGNAL=" + std::to_string(SIGURG),
        };
        std::string text;
        for (const std::string &line : expected) {
            text += line + " \\\n";
        }
        EXPECT_EQ(outcome.out, text + kClangEnding + " exit 'it'\\''s'\n");
        EXPECT_EQ(outcome.err, "");
    }
    // A shell takes it as it is.
    Command command;
    command.arguments = {"/bin/sh", "-c", launch({"--dry-run", kClangEnding, "exit", "7"}).out};
    EXPECT_EQ(run(command).exit_code, 7);
    outcome =
        launch({"--dry-run", "--runtime", "libomp", kGccEnding}, {{"LD_PRELOAD", "libm.so.6"}});
    const auto lines = lines_with_prefix(outcome.out, "LD_PRELOAD=");
    ASSERT_EQ(lines.size(), 1U) << outcome.describe();
    EXPECT_NE(lines[0].find("libm.so.6:"), std::string::npos) << lines[0];
    EXPECT_EQ(count(lines[0], "libomp.so.5"), 1U) << lines[0];
}

TEST(Launcher, TakesAnotherCollector) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string collector = OCB_TEST_LIB_FOLDER "/libocb-fake-collector.so";
    const Outcome outcome = launch({"--collector", collector, kClangEnding, "exit", "5"},
                                   {{"OCB_TEST_LOG", folder.file("log")}});
    EXPECT_EQ(outcome.exit_code, 5) << outcome.describe();
    EXPECT_EQ(count(outcome.err, kReportHead), 0U) << outcome.err;
    EXPECT_FALSE(file_text(folder.file("log")).empty());
}

// What is needed by what is preloaded would come behind the runtime, and end behind it.
TEST(Launcher, ACollectorsOwnLibrariesEndBeforeTheRuntime) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string own = folder.file("libown.so");
    const std::string collector = folder.file("collector.so");
    const Outcome built =
        run_shell(R"SH(
        printf '%s' '#include <unistd.h>
            __attribute__((destructor)) static void end(void) {
                if (write(2, "own library ends\n", 17) != 17) _exit(1);
            }' > "$1.c"
        gcc -shared -fPIC -o "$1" "$1.c" &&
            gcc -shared -fPIC -o "$2" -x c /dev/null -x none -Wl,--no-as-needed "$1" "$3" "-Wl,-rpath,${3%/*}"
    )SH",
                  {own, collector, OCB_TEST_LIB_FOLDER "/libocb-fake-collector.so"});
    ASSERT_TRUE(built.succeeded()) << built.describe();
    const Outcome outcome = launch({"--collector", collector, kClangEnding, "exit", "5"},
                                   {{"OCB_TEST_LOG", folder.file("log")}, {"OCB_LOG", "info"}});
    EXPECT_EQ(outcome.exit_code, 5) << outcome.describe();
    EXPECT_FALSE(file_text(folder.file("log")).empty());
    const size_t own_end = outcome.err.find("own library ends");
    const size_t runtimes_end = outcome.err.find("the OpenMP runtime has ended");
    ASSERT_NE(own_end, std::string::npos) << outcome.err;
    ASSERT_NE(runtimes_end, std::string::npos) << outcome.err;
    EXPECT_LT(own_end, runtimes_end) << outcome.err;
}

TEST(Launcher, WritesTheProfileToAFile) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string file = folder.file("a profile");
    const Outcome outcome = launch({"-o", file, kClangEnding});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(count(file_text(file), kReportHead), 1U);
}

struct Refusal {
    std::vector<std::string> arguments;
    int exit_code;
    const char *says;
};

TEST(Launcher, RefusesInOneLine) {
    const Refusal refusals[] = {
        {{}, 125, "no program given"},
        {{"--rate", "0", kClangEnding}, 125, "--rate"},
        {{"--nonsense", kClangEnding}, 125, "--nonsense"},
        {{"--output", "/nonexistent/x", kClangEnding}, 125, "--output"},
        {{"--runtime", "/nonexistent/libomp.so", kGccEnding}, 125, "--runtime"},
        {{"--libomp", "/etc/passwd", kGccEnding}, 125, "--runtime"},
        {{"-o", "a%x", kClangEnding}, 125, "percent"},
        {{"-o", "/nonexistent/a.html", kClangEnding},
         125,
         "report run.ompc -o /nonexistent/a.html"},
        {{"-o", "/nonexistent/%p", kClangEnding}, 125, "--output"},
        {{"-o", "/nonexistent/run.ompc", kClangEnding}, 125, "--output"},
        {{"-o", "/nonexistent/%p.ompc", kClangEnding}, 125, "--output"},
        {{"-o", "/proc/run.ompc", kClangEnding}, 125, "--output"},
        {{"--runtime", "libomp", OCB_TEST_PROGRAMS "/lacks-entries"}, 125, "GOMP_target_ext"},
        {{"--collector", "/nonexistent/c.so", kGccEnding}, 125, "--collector"},
        {{"no-such-program-anywhere"}, 127, "not found"},
        {{"/nonexistent/program"}, 127, "No such file"},
        {{"/etc/passwd"}, 126, "not an executable"},
    };
    for (const Refusal &refusal : refusals) {
        const Outcome outcome = launch(refusal.arguments);
        EXPECT_EQ(outcome.exit_code, refusal.exit_code) << outcome.describe();
        EXPECT_EQ(count(outcome.err, "\n"), 1U) << outcome.describe();
        EXPECT_NE(outcome.err.find(refusal.says), std::string::npos) << outcome.describe();
        EXPECT_EQ(outcome.out, "");
    }
}

struct NothingCase {
    std::vector<std::string> command;
    int exit_code;
    const char *says;
};

// One line, and a true one.
TEST(Launcher, SaysWhyThereIsNoProfile) {
    OCB_SKIP_IF_SANITIZED();
    const NothingCase cases[] = {
        {{OCB_TEST_PROGRAMS "/gcc/plain"}, 3, "pragmas, compile and link it with -fopenmp; "},
        {{"/bin/sh", "-c", OCB_TEST_PROGRAMS "/gcc/plain; exit 3"},
         3,
         "no OpenMP runtime with a tools interface was used"},
        {{OCB_TEST_PROGRAMS "/static"}, 3, "static is statically linked, so nothing can be"},
        {{"/usr/bin/env", OCB_TEST_PROGRAMS "/static"}, 3, "static is statically linked"},
        {{OCB_TEST_PROGRAMS "/static-libgomp"}, 0, "has its OpenMP runtime linked into itself"},
    };
    const Outcome disabled = launch({kClangEnding}, {{"OMP_TOOL", "disabled"}});
    EXPECT_NE(disabled.err.find("OMP_TOOL=disabled is set"), std::string::npos)
        << disabled.describe();
    EXPECT_EQ(count(disabled.err, "\n"), 1U) << disabled.describe();
    for (const NothingCase &test : cases) {
        const Outcome outcome = launch(test.command);
        EXPECT_EQ(outcome.exit_code, test.exit_code) << outcome.describe();
        EXPECT_EQ(lines_with_prefix(outcome.err, "ompcollect: no profile (exit code ").size(), 1U)
            << outcome.describe();
        EXPECT_NE(outcome.err.find(test.says), std::string::npos) << outcome.describe();
        EXPECT_EQ(outcome.err.find("region was forked"), std::string::npos) << outcome.err;
    }
}

TEST(Launcher, PrintsAProfileOfEachProcess) {
    OCB_SKIP_IF_SANITIZED();
    for (const std::string &program : {kClangEnding, kGccEnding}) {
        const Outcome outcome = launch({program, "fork"});
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_EQ(count(outcome.err, kReportHead), 2U) << outcome.err;
    }
}

// Without #! it is the shell's, as execvp has it.
TEST(Launcher, FollowsAScript) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string script = folder.file("script");
    for (const char *interpreter : {"#!/bin/sh\n", ""}) {
        std::ofstream(script) << interpreter << "'" << kGccEnding << "' exit 6\nexit $?\n";
        fs::permissions(script, fs::perms::owner_all);
        const Outcome outcome = launch({script});
        EXPECT_EQ(outcome.exit_code, 6) << outcome.describe();
        EXPECT_EQ(count(outcome.err, kReportHead), 1U) << outcome.err;
        EXPECT_NE(outcome.err.find("region ending.c:"), std::string::npos) << outcome.err;
    }
}

TEST(Launcher, WorksFromAFolderWithASpace) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const fs::path root = folder.file("with space: and colon");
    fs::create_directories(root / "bin");
    fs::create_directories(root / "lib");
    fs::copy_file(kLauncher, root / "bin/ompcollect");
    for (const char *library :
         {"libomp-collector-bridge.so.0", "libompcollect-default.so", "libompcollect-preload.so",
          "libompcollect-placement.so", "libomp-collector-front.so"}) {
        fs::copy_file(fs::canonical(fs::path(OCB_TEST_LIB_FOLDER) / library),
                      root / "lib" / library);
    }
    const fs::path temporary = folder.file("tmp");
    fs::create_directories(temporary);
    Command command;
    command.arguments = {root / "bin/ompcollect", kClangEnding, "preload"};
    command.environment = {{"TMPDIR", temporary}};
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.out.find(' '), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find(temporary.string()), 0U) << outcome.out;
    EXPECT_EQ(count(outcome.err, "Verdict: "), 1U) << outcome.err;
    EXPECT_TRUE(fs::is_empty(temporary));
}

TEST(Launcher, TellsAboutTheBridge) {
    OCB_SKIP_IF_SANITIZED();
    Outcome outcome = launch({"--help"});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    for (const char *expected : {"Usage:", "--rate", "OCB_INIT", "OCB_LOG", "125:"}) {
        EXPECT_NE(outcome.out.find(expected), std::string::npos) << outcome.out;
    }
    outcome = launch({"--version"});
    EXPECT_EQ(outcome.out.find("ompcollect "), 0U) << outcome.describe();
    EXPECT_NE(outcome.out.find("(bridge "), std::string::npos);
    for (const char *fact : {"built from", "compiler", "machine", "C library", "OMPT", "merges"}) {
        EXPECT_NE(outcome.out.find(std::string("\n  ") + fact), std::string::npos) << outcome.out;
    }
}

} // namespace
} // namespace ocb_test
