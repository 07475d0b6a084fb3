// SPDX-License-Identifier: Apache-2.0
//
// control_test.cpp - the program's own omp_control_tool: what each command returns (OpenMP 5.2,
// 18.14: -2 no tool, -1 no callback, 0 success, 1 ignored) and what it does to the session.
#include "openmp_test.h"

namespace ocb_test {
namespace {

class Control : public OpenmpTest {};
INSTANTIATE_TEST_SUITE_P(On, Control, testing::ValuesIn(in_both_ways()), runtime_name);

// `end` is for good: only the collector may begin another session, so `start` is ignored then.
TEST_P(Control, DrivesTheSession) {
    Options options;
    options.environment["OCB_TEST_EVENTS"] = "1,2";
    ASSERT_NO_FATAL_FAILURE(run("control", options));
    EXPECT_EQ("pause 0\npause 0\nflush 0\nstart 0\nstart 0\nof another tool 1\nend 0\nend 1\n"
              "start 1\n",
              outcome().out);
    const auto region = [](const std::string &name) {
        return Sequence{"FORK OVHD " + name + " in 0", "body: WORK " + name + " in 0",
                        "JOIN OVHD " + name + " in 0"};
    };
    Sequence of_master;
    for (const Record &record : log().threads.at(0).records) {
        of_master.push_back(to_text(record));
    }
    // Ids go on while nobody is told of the regions; after `end` every request is refused.
    const Sequence expected =
        single_line("START OK") + region("r1") + single_line("pause: SERIAL 0 in 0") +
        single_line("body: WORK r2 in 0") + single_line("pause: SERIAL 0 in 0") +
        single_line("body: WORK r3 in 0") + single_line("flush: SERIAL 0 in 0") +
        single_line("body: WORK r4 in 0") + single_line("start: SERIAL 0 in 0") + region("r5") +
        single_line("start: SERIAL 0 in 0") + region("r6") +
        single_line("of another tool: SERIAL 0 in 0") + region("r7") +
        single_line("end: SEQUENCE_ERR") + single_line("body: SEQUENCE_ERR") +
        single_line("end: SEQUENCE_ERR") + single_line("body: SEQUENCE_ERR") +
        single_line("start: SEQUENCE_ERR") + single_line("body: SEQUENCE_ERR");
    EXPECT_EQ(lines(expected), lines(of_master));
}

Options never_started() {
    Options options;
    options.environment["OCB_TEST_START"] = "program";
    return options;
}

std::string answers(const std::string &all) {
    std::string text;
    for (const char *name :
         {"pause", "pause", "flush", "start", "start", "of another tool", "end", "end", "start"}) {
        text += std::string(name) + " " + all + "\n";
    }
    return text;
}

TEST_P(Control, HasNoCallbackBeforeTheFirstStart) {
    ASSERT_NO_FATAL_FAILURE(run("control", never_started()));
    EXPECT_EQ(answers("-1"), outcome().out);
}

TEST_P(Control, HasNoToolWithoutUs) {
    Options options = never_started();
    options.preload_only({kCollector});
    ASSERT_NO_FATAL_FAILURE(run("control", options));
    EXPECT_EQ(answers("-2"), outcome().out);
}

class FortranControl : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(On, FortranControl, testing::Values(14, 19));

TEST_P(FortranControl, DrivesTheSession) {
    const Runtime runtime{GetParam(), Compiler::kGcc};
    Options options;
    options.environment["OCB_TEST_EVENTS"] = "1,2";
    const ProgramRun run =
        run_program(OCB_TEST_PROGRAM_FOLDER, "control_fortran", runtime, options);
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ("", verify_runtime(run, runtime));
    EXPECT_EQ("pause 0\nflush 0\nstart 0\nend 0\nstart 1\n", run.outcome.out);
    EXPECT_EQ(lines({"START OK", "FORK OVHD r1 in 0", "JOIN OVHD r1 in 0", "FORK OVHD r3 in 0",
                     "JOIN OVHD r3 in 0"}),
              lines(sequence_of(run.log.threads.at(0))));
}

} // namespace
} // namespace ocb_test
