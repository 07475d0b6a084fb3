// SPDX-License-Identifier: Apache-2.0
// Programs that clang has built for libomp, unmodified, on each generation of the mini-runtime:
// they end, with the exit status of a right result.
#include "../../support/process.h"

#include <gtest/gtest.h>

namespace {

using Lines = std::vector<std::string>;

struct Program {
    const char *name;
    Lines arguments;
    std::map<std::string, std::string> environment = {};
};

const Program kPrograms[] = {
    {"cancel", {}, {{"OMP_CANCELLATION", "true"}}},
    {"cancel", {"region"}, {{"OMP_CANCELLATION", "true"}}},
    {"foreign", {}},
    {"foreign", {"openmp"}},
    {"forks", {}},
    {"idle", {}},
    {"idle", {"tasks"}},
    {"league", {}},
    {"league", {"two"}},
    {"mutexes", {"lock"}},
    {"mutexes", {"nest"}},
    {"mutexes", {"critical"}},
    {"mutexes", {"named"}},
    {"mutexes", {"hint"}},
    {"mutexes", {"hint_uncontended"}},
    {"mutexes", {"atomic"}},
    {"nested", {"if0_if0"}},
    {"nested", {"one"}},
    {"nested", {"three"}, {{"OMP_MAX_ACTIVE_LEVELS", "3"}}},
    {"nested", {"off"}},
    {"ordered", {"static"}},
    {"ordered", {"dynamic"}},
    {"ordered", {"doacross"}},
    {"reduction", {}, {{"KMP_FORCE_REDUCTION", "tree"}}},
    {"reduction", {}, {{"KMP_FORCE_REDUCTION", "critical"}}},
    {"reduction_atomic", {}, {{"KMP_FORCE_REDUCTION", "atomic"}}},
    {"regions", {}},
    {"single_master", {"single"}},
    {"single_master", {"nowait"}},
    {"single_master", {"copyprivate"}},
    {"single_master", {"masked"}},
    {"single_master", {"master"}},
    {"tasks", {"barrier"}},
    {"tasks", {"taskwait"}},
    {"tasks", {"taskgroup"}},
    {"test_lock", {}},
    {"test_lock", {"nest"}},
    {"wait_ids", {}},
    {"worksharing", {"static"}},
    {"worksharing", {"dynamic"}},
    {"worksharing", {"guided"}},
    {"worksharing", {"sections"}},
    {"worksharing", {"explicit"}},
    {"worksharing", {"nowait"}},
};

class ClangPrograms : public testing::TestWithParam<const char *> {};

std::string test_name(const testing::TestParamInfo<const char *> &generation) {
    std::string name = generation.param;
    for (char &character : name) {
        if (character == '-') {
            character = '_';
        }
    }
    return name;
}

INSTANTIATE_TEST_SUITE_P(Mini, ClangPrograms,
                         testing::Values("5", "tr6", "tr4", "tr2-001", "tr2-000", "2014"),
                         test_name);

TEST_P(ClangPrograms, RunToTheirEnd) {
    for (const Program &program : kPrograms) {
        ocb_test::Command command;
        command.arguments = {std::string(OCB_TRUTH_PROGRAM_FOLDER) + "/clang/" + program.name};
        command.arguments.insert(command.arguments.end(), program.arguments.begin(),
                                 program.arguments.end());
        command.environment = program.environment;
        command.environment["LD_LIBRARY_PATH"] = std::string(OCB_MINI_FOLDER) + "/" + GetParam();
        command.environment["OCB_TRUTH_MS"] = "2";
        const ocb_test::Outcome outcome = ocb_test::run(command);
        EXPECT_TRUE(outcome.succeeded())
            << program.name << ' ' << (program.arguments.empty() ? "" : program.arguments[0])
            << outcome.describe();
        EXPECT_EQ(outcome.err, "") << program.name;
    }
}

// Those of the bridge's own tests, which without a collector just run.
TEST_P(ClangPrograms, OfTheIntegrationTestsRunToTheirEnd) {
    for (const char *name :
         {"barriers", "critical", "foreign", "lock", "nested", "ordered", "pause", "serialized",
          "set_environment", "single_master", "start_between", "start_in_main", "start_inside",
          "stop_start", "two_regions", "unregister"}) {
        ocb_test::Command command;
        command.arguments = {std::string(OCB_INTEGRATION_PROGRAM_FOLDER) + "/clang/" + name};
        command.environment["LD_LIBRARY_PATH"] = std::string(OCB_MINI_FOLDER) + "/" + GetParam();
        const ocb_test::Outcome outcome = ocb_test::run(command);
        EXPECT_TRUE(outcome.succeeded()) << name << outcome.describe();
    }
}

// They really ran on it: no other runtime knows this variable.
TEST_P(ClangPrograms, AreOnThisRuntime) {
    ocb_test::Command command;
    command.arguments = {std::string(OCB_TRUTH_PROGRAM_FOLDER) + "/clang/regions"};
    command.environment = {{"LD_LIBRARY_PATH", std::string(OCB_MINI_FOLDER) + "/" + GetParam()},
                           {"MINI_OMP_BREAK", "no-such-rule"}};
    EXPECT_EQ(ocb_test::run(command).exit_code, 2);
}

} // namespace
