// SPDX-License-Identifier: Apache-2.0
//
// What the driver itself does: lists, exit codes, runtimes that crash or hang, what machines read.
#include "suite.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace compliance_test {
namespace {

using Json = nlohmann::json;

TEST(Driver, ListsTheChecks) {
    EXPECT_EQ(check_names().size(), 32U);
    EXPECT_EQ(check_names().front(), "init-registration");
    EXPECT_EQ(check_names().back(), "state-ordered");
}

TEST(Driver, OneCheckGivesItsExitCode) {
    const std::string runtime = mini_runtime("tr2-001");
    const auto code = [&](const std::map<std::string, std::string> &environment) {
        return run_suite({"--runtime", runtime, "--only", "control"}, environment).exit_code;
    };
    EXPECT_EQ(code({}), 0);
    EXPECT_EQ(code({{"MINI_OMP_BREAK", "control.command"}}), 255);
    EXPECT_EQ(code({{"MINI_OMP_WITHOUT", "control"}}), 254);
}

TEST(Driver, AFailureNamesItsSentence) {
    const ocb_test::Outcome outcome =
        run_suite({"--runtime", mini_runtime("5"), "--only", "parallel-begin"},
                  {{"MINI_OMP_BREAK", "parallel-begin.parent-id"}});
    EXPECT_NE(outcome.out.find("the parent task is not the one that the program inquired"),
              std::string::npos)
        << outcome.describe();
}

TEST(Driver, WhatAGenerationDoesNotHaveDoesNotCount) {
    const ocb_test::Outcome outcome =
        run_suite({"--runtime", mini_runtime("5"), "--only", "idle-frame"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.describe();
    EXPECT_NE(outcome.out.find("not in this generation"), std::string::npos) << outcome.out;
}

TEST(Driver, TellsGenerationsApart) {
    const std::map<std::string, std::string> names = {
        {"5", "OpenMP 5.x"}, {"tr6", "TR6"}, {"tr2-000", "TR2, draft chapter"}, {"2014", "2014"}};
    for (const auto &[generation, name] : names) {
        const ocb_test::Outcome outcome = run_suite(
            {"--runtime", mini_runtime(generation), "--only", "init-registration", "--json"});
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_EQ(Json::parse(outcome.out).at("generation"), name);
    }
    const Json tr2 = Json::parse(
        run_suite({"--runtime", mini_runtime("tr2-001"), "--only", "init-registration", "--json"})
            .out);
    EXPECT_EQ(tr2.at("generation").get<std::string>().substr(0, 3), "TR2");
}

TEST(Driver, ReportsACrash) {
    const ocb_test::Outcome outcome =
        run_suite({"--runtime", OCB_TEST_CRASHING, "--only", "control", "--only", "state-lock"});
    EXPECT_EQ(outcome.exit_code, 255) << outcome.describe();
    EXPECT_NE(outcome.out.find("crashed by Segmentation fault"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("2 crashed"), std::string::npos) << outcome.out;
}

TEST(Driver, ReportsAHang) {
    const ocb_test::Outcome outcome =
        run_suite({"--runtime", OCB_TEST_HANGING, "--only", "control", "--time-limit", "1"});
    EXPECT_EQ(outcome.exit_code, 255) << outcome.describe();
    EXPECT_NE(outcome.out.find("hung for 1 s"), std::string::npos) << outcome.out;
}

TEST(Driver, WithoutOmptNothingIsImplemented) {
    const Codes codes = codes_of(OCB_TEST_TOOLLESS, {"init-registration", "parallel-begin",
                                                     "thread-begin", "control", "state-serial"});
    EXPECT_EQ(codes.size(), 5U);
    for (const auto &[name, code] : codes) {
        EXPECT_EQ(code, "254") << name;
    }
}

TEST(Driver, TheEnvironmentOfTheUserDecidesNothing) {
    const Codes codes = codes_of(mini_runtime("5"), {"thread-begin", "parallel-begin"},
                                 {{"OMP_TOOL", "disabled"},
                                  {"OMP_NUM_THREADS", "1"},
                                  {"OMP_MAX_ACTIVE_LEVELS", "1"},
                                  {"OMP_THREAD_LIMIT", "2"}});
    EXPECT_EQ(codes.at("thread-begin"), "0");
    EXPECT_EQ(codes.at("parallel-begin"), "0");
}

TEST(Driver, WrongArgumentsAreNamed) {
    const ocb_test::Outcome check = run_suite({"--only", "no-such-check"});
    EXPECT_EQ(check.exit_code, 2);
    EXPECT_NE(check.err.find("no-such-check"), std::string::npos) << check.err;
    const ocb_test::Outcome file = run_suite({"--runtime", "/no/such/library"});
    EXPECT_EQ(file.exit_code, 2);
    EXPECT_NE(file.err.find("/no/such/library"), std::string::npos) << file.err;
    const ocb_test::Outcome text = run_suite({"--runtime", __FILE__, "--only", "control"});
    EXPECT_EQ(text.exit_code, 2) << text.describe();
}

// The mini-runtime has none of gcc's entry points and cannot report what gcc's programs do.
TEST(Driver, TheCompilerOfTheProgramsIsChosen) {
    const auto code = [](const char *compiler) {
        return run_suite({"--runtime", mini_runtime("5"), "--only", "parallel-begin", "--compiler",
                          compiler})
            .exit_code;
    };
    EXPECT_EQ(code("clang"), 0);
    EXPECT_NE(code("gcc"), 0);
    EXPECT_EQ(code("icc"), 2);
}

TEST(Driver, ADifferenceNamesTheCheck) {
    const ocb_test::TemporaryFolder folder;
    const std::string kept = folder.file("kept.txt");
    std::ofstream(kept) << "# a comment\ncontrol 254\nparallel-id 0\n";
    const std::vector<std::string> arguments = {
        "--runtime", mini_runtime("5"), "--only",    "control",
        "--only",    "parallel-id",     "--compare", kept};
    const ocb_test::Outcome different = run_suite(arguments);
    EXPECT_EQ(different.exit_code, 1) << different.describe();
    EXPECT_EQ(different.out, "control: 0, expected 254\n");
    std::ofstream(kept) << "control 0\nparallel-id 0\n";
    EXPECT_TRUE(run_suite(arguments).succeeded());
}

// The table of the Collector API: the bridge's own rows, held against what was measured.
TEST(Driver, SaysWhatTheCollectorApiIsWorthOnARuntime) {
    const auto answers_with = [](const std::map<std::string, std::string> &environment) {
        const ocb_test::Outcome outcome =
            run_suite({"--runtime", mini_runtime("5"), "--json"}, environment);
        const Json root = Json::parse(outcome.out);
        std::map<std::string, Json> rows;
        for (const Json &row : root.at("collector_api")) {
            EXPECT_FALSE(row.at("reason").get<std::string>().empty()) << row;
            rows[row.at("name")] = row;
        }
        EXPECT_EQ(root.at("checks").size(), 32U);
        return rows;
    };
    const auto intact = answers_with({});
    ASSERT_EQ(intact.count("OMP_EVENT_FORK"), 1U);
    EXPECT_EQ(intact.at("OMP_EVENT_FORK").at("status"), "exact");
    EXPECT_EQ(intact.at("THR_WORK_STATE").at("status"), "exact");
    EXPECT_EQ(intact.at("THR_TASK_STEAL_STATE").at("status"), "impossible");
    // A runtime that does not keep the rule cannot give the answer as it is.
    const auto broken = answers_with({{"MINI_OMP_BREAK", "state-parallel.overhead"}});
    EXPECT_EQ(broken.at("THR_WORK_STATE").at("status"), "synthesised");
    EXPECT_EQ(broken.at("THR_WORK_STATE").at("measured").at(0), "state-parallel: incorrect");
    EXPECT_EQ(broken.at("OMP_EVENT_FORK").at("status"), "exact");
}

} // namespace
} // namespace compliance_test
