// SPDX-License-Identifier: Apache-2.0
#include "matrix_run.h"

#include "long_form.h"
#include "other_machine.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace ocb_test {
namespace {

constexpr int kRuntimeFails = 75; // truth.h
constexpr int kMostFailures = 5;

ProgramRun run_with_patience(const TruthRow &row, const Runtime &runtime, const Options &options) {
    ProgramRun run = run_program(OCB_TRUTH_PROGRAM_FOLDER, row.program, runtime, options);
    for (int i = 0; i < kMostFailures && run.outcome.exit_code == kRuntimeFails; ++i) {
        std::printf("%s failed by its runtime: once more\n", row.name);
        run = run_program(OCB_TRUTH_PROGRAM_FOLDER, row.program, runtime, options);
    }
    return run;
}

void watch_once(const TruthRow &row, const Runtime &runtime, const Options &options,
                const std::function<void(Log &)> &adapt, Verdict &verdict) {
    ProgramRun run = run_with_patience(row, runtime, options);
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    ASSERT_TRUE(run.log.complete) << "no complete log\n" << run.outcome.describe();
    ASSERT_EQ("", verify_runtime(run, runtime));
    adapt(run.log);
    verdict = check(run.log, other_machine().empty() ? From::kMark : From::kEvent);
    // Two thirds of a phase, which a try with longer phases has longer. What lasts ten milliseconds
    // because another thread was late is none, and its samples may all have come as one.
    if (const auto ms = options.environment.find("OCB_TRUTH_MS"); ms != options.environment.end()) {
        constexpr double kNsOfMs = 1e6;
        verdict.long_ns = static_cast<std::uint64_t>(std::stod(ms->second) * kNsOfMs * 2 / 3);
    }
}

} // namespace

void add_row(const TruthRow &row, Options &options) {
    const std::string setting = row.environment;
    if (const std::size_t equals = setting.find('='); equals != std::string::npos) {
        options.environment[setting.substr(0, equals)] = setting.substr(equals + 1);
    }
    if (*row.argument != '\0') {
        options.arguments.push_back(row.argument);
    }
}

void sample_phases(Options &options) {
    const char *ms = std::getenv("OCB_TRUTH_MS");
    options.environment["OCB_TRUTH_MS"] = ms != nullptr ? ms : is_long() ? "30" : "15";
    options.environment["OCB_TEST_SAMPLE_HZ"] = is_long() ? "1000" : "2000";
}

Options with_longer_phases(Options options, int attempt) {
    constexpr double kUsual = 30; // truth.h
    const std::string &ms = options.environment["OCB_TRUTH_MS"];
    const double length = ms.empty() ? kUsual : std::stod(ms);
    options.environment["OCB_TRUTH_MS"] = std::to_string(length * (1 << attempt));
    return options;
}

Verdict watch(const TruthRow &row, const Runtime &runtime, const Options &options,
              const std::function<void(Log &)> &adapt) {
    Verdict verdict;
    int judged = 0;
    for (int i = 0; i < kTriesInAll && judged < kTries; ++i) {
        watch_once(row, runtime, with_longer_phases(options, i), adapt, verdict);
        const std::vector<std::string> complaints = verdict.all_complaints();
        if (testing::Test::HasFatalFailure() || !verdict.complaints.empty() || complaints.empty()) {
            break;
        }
        std::printf("samples of try %d: %s\n", i + 1, complaints.front().c_str());
        judged += complaints.size() > verdict.too_few_samples().size() ? 1 : 0;
    }
    return verdict;
}

std::string text_of(const std::vector<std::string> &complaints) {
    std::string text;
    for (const std::string &complaint : complaints) {
        text += complaint + "\n";
    }
    return text;
}

} // namespace ocb_test
