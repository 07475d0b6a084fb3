// SPDX-License-Identifier: Apache-2.0
//
// The demo's two programs through launcher, bridge and default collector: the shares of the one are
// known, the other's output must be what it is without us.
#include "calm.h"
#include "command.h"
#include "launcher_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace ocb_test {
namespace {

// The line "by the program's own clock: STATE percent STATE percent ..." of demo-proportions. The
// shares that it was made for are in the line before; on a busy machine it misses them itself.
std::map<std::string, double> expected_shares(const std::string &out) {
    std::map<std::string, double> shares;
    const std::vector<std::string> words = words_of(out.substr(out.rfind(':') + 1));
    for (size_t i = 0; i + 1 < words.size(); i += 2) {
        shares[words[i]] = std::stod(words[i + 1]);
    }
    return shares;
}

constexpr double kTolerance = 8; // percentage points; tests run side by side on few cores

// Of a saved run: percent of all time by OpenMP's state. Where others use the machine, much of it
// is time without a processor, which the screen shows apart; the column `within` has the state in
// it.
std::map<std::string, double> shares_within(const std::string &run_file) {
    std::istringstream csv(launch({"report", "--format", "csv", run_file}).out);
    std::map<std::string, double> shares;
    double all = 0;
    for (std::string line; std::getline(csv, line);) {
        std::vector<std::string> fields; // the last six: state, wall, cpu, samples, within, call
        std::istringstream text(line);
        for (std::string field; std::getline(text, field, ',');) {
            fields.push_back(field);
        }
        const std::size_t count = fields.size();
        if (count > 6 && fields[0] != "pid") {
            const double wall = std::stod(fields[count - 5]);
            shares[fields[count - 2]] += wall;
            all += wall;
        }
    }
    for (auto &[state, share] : shares) {
        share *= 100 / all;
    }
    return shares;
}

// How far the profile is from what the program says, at the worst state, which is named.
double worst_difference(const Outcome &outcome, const std::string &run_file,
                        std::string &state_at_worst) {
    const auto expected = expected_shares(outcome.out);
    auto measured = shares_within(run_file);
    EXPECT_EQ(expected.size(), 6U) << outcome.out;
    EXPECT_FALSE(measured.empty()) << outcome.err;
    double worst = 0;
    for (const auto &[state, share] : expected) {
        const double difference = std::abs(measured[state] - share);
        if (difference > worst) {
            worst = difference;
            state_at_worst = state;
        }
    }
    return worst;
}

// A hundred samples of a thread leave a few points to chance. Where others had its processors, once
// more.
void expect_known_shares(const std::vector<std::string> &options, const std::string &unit,
                         const std::map<std::string, std::string> &environment) {
    const TemporaryFolder folder;
    const std::string run_file = folder.file("run.ompc");
    std::vector<std::string> arguments = options;
    arguments.insert(arguments.end(), {"-o", run_file, OCB_TEST_DEMO, unit, "clock"});
    std::string report;
    for (int i = 0; i < kMostRuns; ++i) {
        const Outcome outcome = launch(arguments, environment);
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        std::string state;
        const double difference = worst_difference(outcome, run_file, state);
        if (difference <= kTolerance) {
            return;
        }
        report += state + " is off by " + std::to_string(difference) + "\n" + outcome.err;
        if (was_calm(ompcollect::report::load_run(run_file, {}).processes.at(0))) {
            break;
        }
    }
    FAIL() << report;
}

TEST(Demo, SharesAreAsExpected) {
    OCB_SKIP_IF_SANITIZED();
    if (!std::filesystem::exists(OCB_TEST_DEMO)) {
        GTEST_SKIP() << "demo-proportions was not built";
    }
    expect_known_shares({}, "100", {{"KMP_FORCE_REDUCTION", "critical"}});
}

TEST(Demo, SharesAreAsExpectedWithAHiddenReduction) {
    OCB_SKIP_IF_SANITIZED();
    if (!std::filesystem::exists(OCB_TEST_DEMO)) {
        GTEST_SKIP() << "demo-proportions was not built";
    }
    expect_known_shares({"--rate", "1000"}, "25", {});
}

TEST(Demo, ClustaloAlignsAsItDoesWithoutUs) {
    OCB_SKIP_IF_SANITIZED();
    if (!std::filesystem::exists("/usr/bin/clustalo")) {
        GTEST_SKIP() << "clustalo is not installed";
    }
    const TemporaryFolder folder;
    Command command;
    const std::string script = R"(
        sh "$1" | awk '/^>/ { ++n } n <= 12' >"$2"
        "$0" --show states clustalo --threads=2 -i "$2" -o "$3" &&
        clustalo --threads=2 -i "$2" -o "$4" && cmp "$3" "$4"
    )";
    command.arguments = {"/bin/sh", "-c", script, kLauncher, OCB_TEST_MAKE_FASTA};
    for (const char *name : {"in", "with", "without"}) {
        command.arguments.push_back(folder.file(name));
    }
    // libgomp's threads, waiting busily, take each other's processor where others run beside them.
    command.environment = {{"OMP_WAIT_POLICY", "passive"}};
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    auto shares = total_shares(outcome.err);
    EXPECT_GT(shares["WORK"], 0) << outcome.err;
}

} // namespace
} // namespace ocb_test
