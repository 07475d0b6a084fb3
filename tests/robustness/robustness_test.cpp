// SPDX-License-Identifier: Apache-2.0
// That the bridge is never the reason why a program dies: storms of signals, sessions that come and
// go, processes that fork and end in every way, and a system that gives nothing more. Each program
// must end with the bridge as it ends without it. With OCB_TEST_LONG=1 for minutes instead of
// seconds; figures are printed, docs/ROBUSTNESS.md quotes them.
#include "long_form.h"
#include "openmp_run.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

namespace ocb_test {
namespace {

std::string pick(const char *brief, const char *extended) {
    return is_long() ? extended : brief;
}

// "name value name value ..." as the collectors write it.
std::map<std::string, long> figures_of(const std::string &path) {
    std::ifstream words(path);
    std::map<std::string, long> result;
    std::string name;
    for (long value = 0; words >> name >> value;) {
        result[name] = value;
    }
    return result;
}

void print(const std::string &what, const std::map<std::string, long> &figures) {
    std::printf("%s:", what.c_str());
    for (const auto &[name, value] : figures) {
        std::printf(" %s %ld", name.c_str(), value);
    }
    std::printf("\n");
}

using Arguments = std::vector<std::string>;

class Robustness : public testing::TestWithParam<Runtime> {
  protected:
    [[nodiscard]] Options options(const Arguments &arguments) const {
        Options result;
        result.arguments = arguments;
        result.preload = {kBridge};
        result.time_limit_s = is_long() ? 7200 : 600;
        // Threads that wait sleep, on libomp and on libgomp.
        result.environment["KMP_BLOCKTIME"] = "0";
        result.environment["GOMP_SPINCOUNT"] = "0";
        return result;
    }
    [[nodiscard]] Outcome run(const std::string &program, const Options &options) const {
        return run_program(OCB_ROBUSTNESS_PROGRAM_FOLDER, program, GetParam(), options).outcome;
    }
    static Options without_bridge(Options options) {
        options.preload.clear();
        return options;
    }
    // As it ends and what it says, with the bridge and without it.
    void expect_same(const std::string &program, const Options &options) const {
        const Outcome with = run(program, options);
        const Outcome without = run(program, without_bridge(options));
        EXPECT_EQ(with.exit_code, without.exit_code) << with.describe() << without.describe();
        EXPECT_EQ(with.signal, without.signal) << with.describe() << without.describe();
        EXPECT_EQ(with.timed_out, without.timed_out) << with.describe() << without.describe();
        EXPECT_EQ(with.out, without.out);
    }
    void expect_result(const std::string &program, const Options &options) const {
        const Outcome outcome = run(program, options);
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_EQ(outcome.out, "result 0\n") << outcome.describe();
        std::printf("%s %s: %s", name_of(GetParam()).c_str(), program.c_str(), outcome.err.c_str());
    }
};

std::string runtime_name(const testing::TestParamInfo<Runtime> &info) {
    return name_of(info.param);
}
std::vector<Runtime> strained_runtimes() {
    std::vector<Runtime> runtimes = {{14, Compiler::kClang}, {19, Compiler::kClang}};
    if (kHasLibgomp) {
        runtimes.push_back(kLibgomp);
    }
    return runtimes;
}
INSTANTIATE_TEST_SUITE_P(Runtimes, Robustness, testing::ValuesIn(strained_runtimes()),
                         runtime_name);

// Signals.

class Storm : public Robustness {
  protected:
    void rage(const std::string &threads, const std::string &rate, const std::string &seconds) {
        const TemporaryFolder folder;
        Options storm = options({threads, seconds});
        storm.preload.emplace_back("libocb-storm-collector.so");
        storm.environment["OCB_STORM_HZ"] = rate;
        storm.environment["OCB_STORM_REPORT"] = folder.file("report");
        expect_result("storm", storm);
        auto figures = figures_of(folder.file("report"));
        print(name_of(GetParam()) + " " + threads + " threads " + rate + " Hz " + seconds + " s",
              figures);
        EXPECT_GT(figures["samples"], 1000);
        EXPECT_GT(figures["events"], 100);
        EXPECT_GT(figures["sessions"], 2);
        EXPECT_GT(figures["stack"], 0);
        EXPECT_LT(figures["stack"], 1024);
        for (const char *fault :
             {"invalid", "misfit", "allocations", "errno_changed", "timers_missing"}) {
            EXPECT_EQ(figures.at(fault), 0) << fault;
        }
    }
};
INSTANTIATE_TEST_SUITE_P(Runtimes, Storm, testing::ValuesIn(strained_runtimes()), runtime_name);

TEST_P(Storm, ManyThreads) {
    rage(pick("16", "128"), "1000", pick("3", "60"));
}
TEST_P(Storm, HighRate) {
    rage(pick("4", "8"), "10000", pick("2", "60"));
}

// Sessions.

TEST_P(Robustness, ControlRequestsAtRandom) {
    expect_result("churn", options({"random", pick("5000", "340000")}));
}
TEST_P(Robustness, CallbackThatIsUnmappedAtOnce) {
    expect_result("churn", options({"unmap", pick("800", "100000")}));
}
TEST_P(Robustness, CallbacksThatSendStop) {
    expect_result("churn", options({"stop", pick("500", "20000")}));
}
TEST_P(Robustness, CallbackThatWaitsForTheSenderOfStop) {
    const Outcome outcome = run("churn", options({"block", pick("1", "10")}));
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    // The bound has been met, so the callback was being waited for.
    EXPECT_NE(outcome.err.find("a callback was still running"), std::string::npos) << outcome.err;
}
TEST_P(Robustness, CollectorThatIsClosed) {
    expect_result("churn", options({"plugin", pick("200", "5000"), OCB_PLUGIN_COLLECTOR}));
}

// Processes.

TEST_P(Robustness, Forks) {
    // libgomp's own: a child hangs in its first region if its parent has a team.
    const bool is_libgomp = name_of(GetParam()) == name_of(kLibgomp);
    expect_result("processes",
                  options({is_libgomp ? "forks_paused" : "forks", pick("30", "2000")}));
}
TEST_P(Robustness, WaysToEnd) {
    for (const char *mode : {"exec", "exec_region", "vfork", "exit_region", "exit_callback",
                             "abort", "cancel", "pause_soft", "pause_hard"}) {
        SCOPED_TRACE(mode);
        expect_same("processes", options({mode}));
    }
}
TEST_P(Robustness, EndsAreThoseOfTheModes) {
    EXPECT_EQ(run("processes", options({"exit_callback"})).exit_code, 7);
    EXPECT_EQ(run("processes", options({"exit_region"})).exit_code, 7);
    EXPECT_EQ(run("processes", options({"abort"})).signal, SIGABRT);
    for (const char *mode :
         {"exec", "exec_region", "vfork", "cancel", "pause_soft", "pause_hard"}) {
        EXPECT_EQ(run("processes", options({mode})).out, "result 0\n") << mode;
    }
}

// Limits.

TEST_P(Robustness, NoMemoryForTheBridge) {
    for (const char *every : {"1", "2", "3"}) {
        SCOPED_TRACE(every);
        const TemporaryFolder folder;
        Options scarce = options({"plain"});
        // It stands before the bridge.
        scarce.preload = {"libocb-scarce.so", kBridge};
        scarce.environment["OCB_SCARCE"] = every;
        scarce.environment["OCB_SCARCE_REPORT"] = folder.file("report");
        expect_same("limits", scarce);
        auto figures = figures_of(folder.file("report"));
        print(name_of(GetParam()) + " every " + every + ". allocation fails", figures);
        EXPECT_GT(figures["failed"], 0);
        EXPECT_EQ(figures["by_bridge"], 0) << "the bridge calls malloc";
    }
}
TEST_P(Robustness, NoAddressSpace) {
    expect_same("limits", options({"memory"}));
}
TEST_P(Robustness, NoFiles) {
    expect_same("limits", options({"files"}));
}
TEST_P(Robustness, NoWritableFolder) {
    Options nowhere = options({"disk"});
    nowhere.environment["TMPDIR"] = nowhere.environment["HOME"] = "/nonexistent";
    expect_same("limits", nowhere);
}
TEST_P(Robustness, SmallestStacks) {
    Options small = options({"plain"});
    small.environment["OMP_STACKSIZE"] = "1B";
    expect_same("limits", small);
}

} // namespace
} // namespace ocb_test
