// SPDX-License-Identifier: Apache-2.0
//
// A job from its reports on the way to its end, whoever ends it.
#include "command.h"
#include "job_runs.h"
#include "run.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

struct EndCase {
    const char *name;
    const char *how; // words for the program
    const char *says;
};

class End : public testing::TestWithParam<EndCase> {};

TEST_P(End, LeavesAProfile) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    for (const std::string &program : {kClangEnding, kGccEnding}) {
        const Outcome outcome = run_shell(std::string("\"$0\" \"$1\" ") + GetParam().how, {program},
                                          {{"TMPDIR", folder.file("")}});
        EXPECT_EQ(count(outcome.err, kReportHead), 1U) << outcome.describe();
        EXPECT_NE(outcome.err.find("region ending.c:"), std::string::npos) << outcome.describe();
        EXPECT_NE(outcome.err.find(GetParam().says), std::string::npos) << outcome.describe();
        EXPECT_TRUE(fs::is_empty(folder.file("")));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Launcher, End,
    testing::Values(EndCase{"exit", "exit 3", "; exit code 3"},
                    EndCase{"_exit", "_exit 4", "; exit code 4"},
                    EndCase{"quick_exit", "quick_exit 4", "; exit code 4"},
                    EndCase{"term", "signal 15", "; killed by signal 15 (Terminated)"},
                    EndCase{"kill", "signal 9", "; killed by signal 9 (Killed)"},
                    EndCase{"abort", "signal 6", "; killed by signal 6 (Aborted)"},
                    EndCase{"segv", "signal 11", "; killed by signal 11 (Segmentation fault)"},
                    EndCase{"exec", "exec /bin/true", "became another program (exec)"}),
    [](const auto &row) { return row.param.name; });

// `await` runs a region, makes a file, and waits for SIGTERM.
constexpr char kBegin[] = R"SH(
    "$0" $3 "$1" await "$2" & launcher=$!
    until [ -f "$2" ]; do sleep 0.05; done
)SH";

// In a group of processes of its own, as a shell's job: in one that nobody minds, the kernel lets a
// key stop nobody.
Outcome run_as_job(const std::string &script, const std::vector<std::string> &words) {
    return run_shell("set -m\n" + script, words);
}

// Who waits for the launcher sees it stopped, and continues both.
TEST(Job, StopsAsTheProgramDoes) {
    OCB_SKIP_IF_SANITIZED();
    const std::string script = R"SH(
        "$0" "$1" signal "$2" & launcher=$!
        for look in $(seq 200); do
            if grep -q 'State:.T' /proc/$launcher/status; then echo stopped; break; fi
            sleep 0.05
        done
        kill -CONT -$launcher
        until wait $launcher; code=$?; [ ! -d /proc/$launcher ]; do sleep 0.05; done
        exit $code
    )SH";
    for (const std::string &program : {kClangEnding, kGccEnding}) {
        for (const int signal : {SIGSTOP, SIGTTIN}) {
            const Outcome outcome = run_as_job(script, {program, std::to_string(signal)});
            EXPECT_EQ(outcome.exit_code, signal) << outcome.describe();
            EXPECT_EQ(outcome.out, "stopped\n") << outcome.describe();
            EXPECT_EQ(count(outcome.err, kReportHead), 1U) << outcome.describe();
        }
    }
}

// Whoever continues the program alone: a debugger, or its own child.
TEST(Job, GoesOnWithAProgramThatIsContinuedAlone) {
    OCB_SKIP_IF_SANITIZED();
    const std::string script = R"SH(
        "$0" "$1" signal "$2" & launcher=$!
        until grep -q 'State:.T' /proc/$launcher/status; do sleep 0.05; done
        kill -CONT $(pgrep -P $launcher -x ending)
        until wait $launcher; code=$?; [ ! -d /proc/$launcher ]; do sleep 0.05; done
        exit $code
    )SH";
    for (const std::string &program : {kClangEnding, kGccEnding}) {
        const Outcome outcome = run_as_job(script, {program, std::to_string(SIGSTOP)});
        EXPECT_EQ(outcome.exit_code, SIGSTOP) << outcome.describe();
        EXPECT_EQ(count(outcome.err, kReportHead), 1U) << outcome.describe();
    }
}

// libomp ends in its destructor, and a region that is forked behind that ends the process. Alone
// that is a race of microseconds. One of the runs may lose it.
TEST(Job, EndsWhileAnotherThreadForksRegions) {
    OCB_SKIP_IF_SANITIZED();
    constexpr int kRuns = 8;
    for (const std::string &program : {kClangEnding, kGccEnding}) {
        int right = 0;
        for (int i = 0; i < kRuns; ++i) {
            const Outcome outcome = launch({program, "beside", "7"});
            right += outcome.exit_code == 7 && count(outcome.err, kReportHead) == 1 ? 1 : 0;
        }
        EXPECT_GE(right, kRuns - 1) << program;
    }
}

// It is the program that a key stops, or not.
TEST(Job, GoesOnWhereTheProgramDoes) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string script = R"SH(
        "$0" bash -c 'trap "" TSTP; exec "$@"' bash "$1" await "$2" & launcher=$!
        until [ -f "$2" ]; do sleep 0.05; done
        kill -TSTP $launcher
        sleep 0.3
        if grep -q 'State:.T' /proc/$launcher/status; then echo stopped; kill -CONT $launcher; fi
        kill -TERM $launcher
        until wait $launcher; code=$?; [ ! -d /proc/$launcher ]; do sleep 0.05; done
        exit $code
    )SH";
    const Outcome outcome = run_as_job(script, {kGccEnding, folder.file("ready")});
    EXPECT_EQ(outcome.exit_code, 42) << outcome.describe();
    EXPECT_EQ(outcome.out, "");
}

TEST(Job, ReportsOnTheWay) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string script = std::string(kBegin) + R"SH(
        kill -USR2 $launcher
        until grep -q 'still running' "$4"; do sleep 0.05; done
        kill -TERM $launcher
        wait $launcher
    )SH";
    for (const std::string &program : {kClangEnding, kGccEnding}) {
        const std::string ready = folder.file("ready");
        const std::string report = folder.file("report");
        const Outcome outcome = run_shell(script, {program, ready, "-o " + report, report});
        EXPECT_EQ(outcome.exit_code, 42) << outcome.describe();
        const std::string text = file_text(report);
        EXPECT_EQ(count(text, kReportHead), 2U) << text;
        EXPECT_EQ(count(text, "Verdict: "), 2U) << text;
        EXPECT_EQ(count(text, "; exit code 42"), 1U) << text;
        fs::remove(ready);
        fs::remove(report);
    }
}

// The file for the viewers is a whole one at each request, and the last one at the end.
TEST(Job, SavesTheRunOnTheWay) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string script = std::string(kBegin) + R"SH(
        kill -USR2 $launcher
        until [ -s "$4" ]; do sleep 0.05; done # from its begin on it is there, empty
        cp "$4" "$4.early"
        kill -TERM $launcher
        wait $launcher
        mv "$4.early" "$5" && "$0" report --format json "$5" && "$0" report --format json "$4"
    )SH";
    const std::string run_file = folder.file("run.ompc");
    const Outcome outcome = run_shell(script, {kClangEnding, folder.file("ready"), "-o " + run_file,
                                               run_file, folder.file("early.ompc")});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(lines_with_prefix(outcome.err, "ompcollect: the run so far is in " + run_file).size(),
              1U)
        << outcome.describe();
    EXPECT_GE(count(outcome.out, "ending.c:"), 2U) << outcome.out;
}

TEST(Job, ReportsAtIntervals) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string script = std::string(kBegin) + R"SH(
        until [ "$(grep -c 'still running' "$4")" -ge 2 ]; do sleep 0.05; done
        kill -TERM $launcher
        wait $launcher
    )SH";
    const std::string report = folder.file("report");
    const Outcome outcome = run_shell(
        script, {kClangEnding, folder.file("ready"), "--interval 0.2 -o " + report, report});
    EXPECT_EQ(outcome.exit_code, 42) << outcome.describe();
    EXPECT_GE(count(file_text(report), kReportHead), 3U);
}

// A launcher that was killed leaves its folder; the next run keeps what is in it, names it in one
// line and removes the folder, but not while a process of that job lives.
TEST(Job, AKilledLauncherIsCleanedUp) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string temporary = folder.file("tmp");
    fs::create_directory(temporary);
    const std::string script = std::string(kBegin) + R"SH(
        program=$(pgrep -P $launcher)
        kill -KILL $launcher
        wait $launcher 2>/dev/null
        "$0" "$1" exit 0
        echo ==== >&2
        kill -KILL $program
        while [ -d /proc/$program ] && ! grep -q '^State:.Z' /proc/$program/status; do
            sleep 0.05
        done
        "$0" "$1" exit 0
        "$0" report "$TMPDIR"/ompcollect-run-*/run.ompc && rm -r "$TMPDIR"/ompcollect-run-*
    )SH";
    const Outcome outcome =
        run_shell(script, {kClangEnding, folder.file("ready"), "-v"}, {{"TMPDIR", temporary}});
    const size_t half = outcome.err.find("====\n");
    ASSERT_NE(half, std::string::npos) << outcome.describe();
    EXPECT_EQ(count(outcome.err.substr(0, half), kReportHead), 1U) << outcome.describe();
    EXPECT_EQ(count(outcome.err.substr(half), kReportHead), 1U) << outcome.describe();
    EXPECT_EQ(count(outcome.err.substr(half), "was killed has left the profile of process "), 1U);
    EXPECT_EQ(count(outcome.out, kReportHead), 1U) << outcome.describe();
    EXPECT_TRUE(fs::is_empty(temporary)) << outcome.describe();
}

// The report cannot be written as nobody reads; the first signal is for the program, which waits
// for it, further ones are for the printing.
TEST(Job, ASecondSignalEndsThePrinting) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string temporary = folder.file("tmp");
    fs::create_directory(temporary);
    const std::string script = R"SH(
        mkfifo "$3"
        exec 9<>"$3"
        head -c 65536 /dev/zero >&9
        "$0" "$1" await "$2" 2>&9 & launcher=$!
        until [ -f "$2" ]; do sleep 0.05; done
        while kill -TERM $launcher 2>/dev/null; do sleep 0.2; done
        wait $launcher
    )SH";
    const Outcome outcome = run_shell(
        script, {kClangEnding, folder.file("ready"), folder.file("fifo")}, {{"TMPDIR", temporary}});
    EXPECT_EQ(outcome.exit_code, 128 + SIGTERM) << outcome.describe();
    EXPECT_TRUE(fs::is_empty(temporary));
}

TEST(Job, ProcessesThatOutliveTheProgramAreSaidToRun) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string script = R"SH(
        "$0" sh -c '"$0" await "$1" >/dev/null 2>&1 & echo $! >"$1.pid"
                    until [ -f "$1" ]; do sleep 0.05; done' "$1" "$2"
        kill -TERM "$(cat "$2.pid")"
    )SH";
    const Outcome outcome =
        run_shell(script, {kClangEnding, folder.file("ready")}, {{"TMPDIR", folder.file("")}});
    EXPECT_NE(outcome.err.find("still running"), std::string::npos) << outcome.describe();
    EXPECT_EQ(count(outcome.err, "Verdict: "), 1U) << outcome.describe();
}

} // namespace
} // namespace ocb_test
