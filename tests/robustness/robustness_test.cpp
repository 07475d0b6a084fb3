// SPDX-License-Identifier: Apache-2.0
// That nothing of ours is ever the reason why a program dies: storms of signals, sessions that come
// and go, processes that fork and end in every way, and a system that gives nothing more. Each
// program must end as it does without us, with us attached. With OCB_TEST_LONG=1 for minutes
// instead of seconds; figures are printed, tests/robustness/RESULTS.md quotes them.
#include "long_form.h"
#include "openmp_run.h"
#include "other_machine.h"

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

// How a program ends, and what it says.
struct End {
    int exit_code = 0;
    int signal = 0;
    const char *out = "";
};
constexpr End kWell{0, 0, "result 0\n"};

class Robustness : public testing::TestWithParam<Runtime> {
  protected:
    // The program is its own collector.
    [[nodiscard]] Options options(const Arguments &arguments) const {
        Options result = with_idle_collector();
        result.arguments = arguments;
        result.environment["OCB_TEST_LOG"] = ""; // nobody reads it
        result.time_limit_s = is_long() ? 7200 : 600;
        // Threads that wait sleep, on libomp and on libgomp.
        result.environment["KMP_BLOCKTIME"] = "0";
        result.environment["GOMP_SPINCOUNT"] = "0";
        return result;
    }
    [[nodiscard]] Outcome run(const std::string &program, const Options &options) const {
        return run_program(OCB_ROBUSTNESS_PROGRAM_FOLDER, program, GetParam(), options).outcome;
    }
    static Options without_us(Options options) {
        options.preload_only({});
        return options;
    }
    static void expect_end(const Outcome &outcome, const End &end) {
        EXPECT_EQ(outcome.exit_code, end.signal != 0 ? -1 : end.exit_code) << outcome.describe();
        EXPECT_EQ(outcome.signal, end.signal) << outcome.describe();
        EXPECT_FALSE(outcome.timed_out) << outcome.describe();
        EXPECT_EQ(outcome.out, end.out) << outcome.describe();
    }
    // As it ends and what it says, without us and with a bridge that is attached. Returns its
    // stderr.
    // NOLINTNEXTLINE(modernize-use-nodiscard): most tests look at no more
    std::string expect_same(const std::string &program, Options options, const End &end) const {
        expect_end(run(program, without_us(options)), end);
        options.environment["OCB_LOG"] = "info";
        const Outcome with = run(program, options);
        expect_end(with, end);
        EXPECT_NE(with.err.find("info: attached to the OpenMP runtime"), std::string::npos)
            << with.describe();
        return with.err;
    }
    void expect_result(const std::string &program, const Options &options) const {
        const Outcome outcome = run(program, options);
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_EQ(outcome.out, kWell.out) << outcome.describe();
        std::printf("%s %s: %s", name_of(GetParam()).c_str(), program.c_str(), outcome.err.c_str());
    }
};

std::string runtime_name(const testing::TestParamInfo<Runtime> &info) {
    return name_of(info.param);
}
// With the bare bridge in the long form (CMakeLists.txt).
INSTANTIATE_TEST_SUITE_P(Runtimes, Robustness, testing::ValuesIn(in_both_ways()), runtime_name);

// Signals.

class Storm : public Robustness {
  protected:
    void rage(const std::string &threads, const std::string &rate, const std::string &seconds) {
        const TemporaryFolder folder;
        Options storm = options({threads, seconds});
        storm.collector = "libocb-storm-collector.so";
        storm.environment["OCB_STORM_HZ"] = rate;
        storm.environment["OCB_STORM_REPORT"] = folder.file("report");
        expect_result("storm", storm);
        auto figures = figures_of(folder.file("report"));
        print(name_of(GetParam()) + " " + threads + " threads " + rate + " Hz " + seconds + " s",
              figures);
        // Ticks that came together count too: how many there are does not depend on the machine.
        const long asked_for = std::stol(threads) * std::stol(rate) * std::stol(seconds);
        EXPECT_GT(figures["ticks"], asked_for * 9 / 10);
        EXPECT_GT(figures["samples"], 1000);
        EXPECT_GT(figures["answered"], 500);
        EXPECT_GT(figures["events"], 1000);
        EXPECT_GT(figures["sessions"], 2);
        EXPECT_GT(figures["stack"], 0);
        EXPECT_LT(figures["stack"], 1024);
        for (const char *fault :
             {"invalid", "misfit", "allocations", "errno_changed", "timers_missing"}) {
            EXPECT_EQ(figures.at(fault), 0) << fault;
        }
    }
};
INSTANTIATE_TEST_SUITE_P(Runtimes, Storm, testing::ValuesIn(in_both_ways()), runtime_name);

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
    expect_result("churn",
                  options({"plugin", pick("200", "5000"), on_machine(OCB_PLUGIN_COLLECTOR)}));
}

// Processes.

TEST_P(Robustness, Forks) {
    // libgomp's own: a child hangs in its first region if its parent has a team.
    const char *mode = is_libgomp(GetParam()) ? "forks_paused" : "forks";
    expect_result("processes", options({mode, pick("30", "2000")}));
}
TEST_P(Robustness, WaysToEnd) {
    const std::pair<const char *, End> ends[] = {
        {"exec", kWell},         {"exec_region", kWell},    {"vfork", kWell},
        {"exit_region", {7, 0}}, {"exit_callback", {7, 0}}, {"abort", {0, SIGABRT}},
        {"cancel", kWell},       {"pause_soft", kWell},     {"pause_hard", kWell},
    };
    for (const auto &[mode, end] : ends) {
        SCOPED_TRACE(mode);
        expect_same("processes", options({mode}), end);
    }
}
// libomp's report of a release reads the descriptor of its first thread.
TEST_P(Robustness, FirstThreadEnds) {
    for (const char *mode : {"session", "late", "child"}) {
        SCOPED_TRACE(mode);
        expect_same("first_thread", options({mode}), kWell);
    }
}

// Limits.

// What the program computes in each of them.
constexpr End kComputed{0, 0, "result 744195\n"};

// "events N" on stderr: what the program was told as its own collector.
long events_in(const std::string &err) {
    const auto lines = lines_with_prefix(err, "events ");
    EXPECT_EQ(lines.size(), 1U) << err;
    return lines.empty() ? 0 : std::stol(lines[0].substr(std::string("events ").size()));
}

TEST_P(Robustness, NoMemoryForTheBridge) {
    for (const char *every : {"1", "2", "3"}) {
        SCOPED_TRACE(every);
        const TemporaryFolder folder;
        Options scarce = options({"plain"});
        // It stands before the bridge.
        scarce.preloaded_before = {"libocb-scarce.so"};
        scarce.environment["OCB_SCARCE"] = every;
        scarce.environment["OCB_SCARCE_REPORT"] = folder.file("report");
        expect_same("limits", scarce, kComputed);
        auto figures = figures_of(folder.file("report"));
        print(name_of(GetParam()) + " every " + every + ". allocation fails", figures);
        EXPECT_GT(figures["failed"], 0);
        EXPECT_EQ(figures["by_bridge"], 0) << "the bridge calls malloc";
    }
}
TEST_P(Robustness, NoAddressSpace) {
    expect_same("limits", options({"memory"}), kComputed);
}
TEST_P(Robustness, NoFiles) {
    EXPECT_LT(0, events_in(expect_same("limits", options({"files"}), kComputed)));
}
TEST_P(Robustness, NoWritableFolder) {
    Options nowhere = options({"disk"});
    nowhere.environment["TMPDIR"] = nowhere.environment["HOME"] = "/nonexistent";
    EXPECT_LT(0, events_in(expect_same("limits", nowhere, kComputed)));
}
TEST_P(Robustness, SmallestStacks) {
    Options small = options({"plain"});
    small.environment["OMP_STACKSIZE"] = "1B";
    EXPECT_LT(0, events_in(expect_same("limits", small, kComputed)));
}

} // namespace
} // namespace ocb_test
