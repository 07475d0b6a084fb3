// SPDX-License-Identifier: Apache-2.0
//
// The launcher with its subcommands: the demo's verdict, saved runs that show what the screen
// showed, and options that are the same in --help, completion and manual.
#include "calm.h"
#include "command.h"
#include "findings.h"
#include "option_names.h"
#include "process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

constexpr char kLauncher[] = OCB_TEST_BIN_FOLDER "/ompcollect";

Outcome launched(const std::vector<std::string> &words,
                 const std::map<std::string, std::string> &environment = {}) {
    Command command;
    command.arguments = {kLauncher};
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    command.environment = environment;
    return run(command);
}

class SavedDemo : public testing::Test {
  protected:
    void SetUp() override {
        if (std::string(OCB_SANITIZE).size() > 0 || !fs::exists(OCB_TEST_DEMO)) {
            GTEST_SKIP() << "the demo is not built, or the collector cannot be used";
        }
        ASSERT_NO_FATAL_FAILURE(run_demo());
    }

    // A quarter of the demo's time, looked at four times as often. Before other tests, where that
    // is permitted.
    void run_demo() {
        Command command;
        command.arguments = {"/usr/bin/nice", "-n", "-15",  kLauncher,     "--rate",
                             "400",           "-o", saved_, OCB_TEST_DEMO, "25"};
        command.environment = {{"KMP_FORCE_REDUCTION", "critical"}, {"COLUMNS", "100"}};
        outcome_ = run(command);
        ASSERT_TRUE(outcome_.succeeded()) << outcome_.describe();
        ASSERT_TRUE(fs::exists(saved_)) << outcome_.describe();
    }

    const TemporaryFolder folder_;
    const std::string saved_ = folder_.file("demo.ompc");
    Outcome outcome_;
};

// Causes and where they are, "imbalance imbalance", of the run's only process.
void find_findings(const std::string &saved, std::set<std::string> &found, bool &is_calm) {
    using namespace ompcollect::report; // NOLINT(google-build-using-namespace)
    const auto run = load_run(saved, {});
    ASSERT_EQ(run.processes.size(), 1U);
    const Process &process = run.processes.front();
    is_calm = was_calm(process);
    found.clear();
    for (const Finding &finding : findings_of(process, figures_of(process))) {
        found.insert(std::string(cause_key(finding.cause)) + " " +
                     finding.place.substr(0, finding.place.find(' ')));
    }
}

// What the demo is known for; of each row one finding. The program's own functions, though most
// samples are in the kernel's page of code.
const std::vector<std::set<std::string>> kKnown = {
    {"contended-critical contention"},
    {"imbalance imbalance"},
    {"slow-reduction reduction"},
    {"serial-part now", "serial-part work", "serial-part serial"},
};

std::string missing_of(const std::set<std::string> &found) {
    std::string missing;
    for (const auto &known : kKnown) {
        if (std::none_of(known.begin(), known.end(),
                         [&found](const auto &finding) { return found.count(finding) != 0; })) {
            missing += *known.begin() + "\n";
        }
    }
    return missing;
}

// The demo's phases take their time on the clock.
TEST_F(SavedDemo, HasItsVerdict) {
    std::set<std::string> found;
    bool is_calm = false;
    ASSERT_NO_FATAL_FAILURE(find_findings(saved_, found, is_calm));
    for (int i = 1; i < kMostRuns && !is_calm && !missing_of(found).empty(); ++i) {
        ASSERT_NO_FATAL_FAILURE(run_demo());
        ASSERT_NO_FATAL_FAILURE(find_findings(saved_, found, is_calm));
    }
    EXPECT_EQ("", missing_of(found)) << outcome_.err;
}

// clang puts all of the region's code into one function that has no name in the source.
TEST_F(SavedDemo, HasInlinedFunctionsInTheirOrder) {
    const Outcome paths = launched({"report", saved_, "--format", "collapsed", "-o", "-"});
    ASSERT_TRUE(paths.succeeded()) << paths.describe();
    EXPECT_NE(paths.out.find(";contention;contention [region];work;now"), std::string::npos)
        << paths.out;
}

// The report of the run, without the line that names its file.
std::string report_in(const std::string &text) {
    const size_t begin = text.find("\n== OpenMP profile of ");
    const size_t end = text.find("\nompcollect: the run is in ");
    return begin == std::string::npos ? "" : text.substr(begin, end - begin);
}

void expect_same_again(const std::string &saved, const Outcome &first) {
    const Outcome again = launched({"report", saved, "-o", "-"}, {{"COLUMNS", "100"}});
    ASSERT_TRUE(again.succeeded()) << again.describe();
    const std::string on_screen = report_in(first.err);
    ASSERT_FALSE(on_screen.empty()) << first.describe();
    std::string text = report_in(again.out);
    text.resize(text.size() - (text.ends_with('\n') ? 1 : 0)); // there no line follows
    EXPECT_EQ(on_screen, text);
}

TEST_F(SavedDemo, ShowsTheScreenAgainToTheByte) {
    expect_same_again(saved_, outcome_);
    EXPECT_NE(outcome_.err.find("exit code 0\n"), std::string::npos) << outcome_.err;
}

// Each within a few milliseconds of the one before, with which it is not merged.
TEST(SavedRuns, OneBehindTheOtherReplaceEachOther) {
    if (std::string(OCB_SANITIZE).size() > 0 || !fs::exists(OCB_TEST_DEMO)) {
        GTEST_SKIP() << "the demo is not built, or the collector cannot be used";
    }
    const TemporaryFolder folder;
    const std::string saved = folder.file("run.ompc");
    for (int i = 0; i < 20; ++i) {
        const Outcome outcome = launched({"-o", saved, OCB_TEST_DEMO, "0.05"});
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        ASSERT_EQ(ompcollect::report::load_run(saved, {}).processes.size(), 1U) << "run " << i;
    }
}

// How it ended and what is doubtful are the run's, too.
TEST_F(SavedDemo, ShowsHowAKilledProgramEndedAgain) {
    const Outcome killed =
        launched({"--rate", "400", "-o", saved_, "taskset", "-c", "0", "/bin/sh", "-c",
                  "\"$0\" 400 > /dev/null & sleep 1; kill -9 $!; wait $!", OCB_TEST_DEMO},
                 {{"OMP_NUM_THREADS", "4"}, {"COLUMNS", "100"}});
    expect_same_again(saved_, killed);
    std::string report = report_in(killed.err);
    for (size_t at = 0; (at = report.find("\n  ", at)) != std::string::npos;) {
        report.replace(at, 3, " "); // a line that goes on
    }
    EXPECT_NE(report.find("killed, or left by _exit "), std::string::npos) << killed.describe();
    EXPECT_NE(report.find(" warning: "), std::string::npos) << killed.describe();
    const Outcome json = launched({"report", saved_, "--format", "json", "-o", "-"});
    EXPECT_NE(json.out.find("\"name\":\"threads_on_one_processor\""), std::string::npos)
        << json.out.substr(0, 4000);
}

TEST(LauncherOptions, AreTheSameInHelpCompletionAndManual) {
    const std::string help = launched({"--help"}).out;
    const auto expected = options_in(help.substr(0, help.find("Environment of the bridge")));
    EXPECT_GE(expected.size(), 10U) << help;
    const std::string completion = launched({"--print-completion", "bash"}).out;
    const size_t run = completion.find("_ompcollect_run()");
    EXPECT_EQ(options_in(completion.substr(run, completion.find("_ompcollect_report()") - run)),
              expected);
    std::string manual = launched({"--print-manual"}).out;
    std::erase(manual, '\\');
    const size_t begin = manual.find(".SH RUNNING");
    EXPECT_EQ(options_in(manual.substr(begin, manual.find(".SH report") - begin)), expected);
}

TEST(LauncherOptions, SubcommandsHaveTheirOwnHelp) {
    for (const char *name : {"report", "diff"}) {
        const Outcome outcome = launched({name, "--help"});
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_NE(outcome.out.find(std::string("ompcollect ") + name), std::string::npos);
    }
    EXPECT_EQ(launched({"report", "/nonexistent.ompc"}).exit_code, 125);
}

} // namespace
} // namespace ocb_test
