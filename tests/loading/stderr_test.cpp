// SPDX-License-Identifier: Apache-2.0
//
// stderr_test.cpp - what the library writes where stderr is not what it was: a file that the
// program has opened in its place stays the program's, and a pipe that nobody reads ends nobody.
#include "loading.h"
#include "openmp_test.h"

#include <fstream>
#include <sstream>

namespace ocb_test {
namespace {

class LostStderr : public testing::TestWithParam<Runtime> {};
INSTANTIATE_TEST_SUITE_P(On, LostStderr,
                         testing::Values(Runtime{14, Compiler::kClang},
                                         Runtime{19, Compiler::kClang}, kLibgomp),
                         runtime_name);

// Every line that there is to say.
Options talkative(const std::string &argument) {
    Options options;
    options.arguments = {argument};
    options.environment["OCB_LOG"] = "debug";
    return options;
}

std::string content_of(const std::string &path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return file ? text.str() : "no file";
}

TEST_P(LostStderr, GetsNoLineOfOurs) {
    const TemporaryFolder temporary;
    const std::string path = temporary.file("data");
    const ProgramRun run = run_program(kOwn, "lost_stderr", GetParam(), talkative(path));
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ("still there\n", run.outcome.out);
    EXPECT_EQ("", content_of(path));
    // Before that, lines came.
    EXPECT_NE(std::string::npos, run.outcome.err.find("session started")) << run.outcome.err;
}

TEST_P(LostStderr, EndsNobodyWhereNobodyReads) {
    const ProgramRun run = run_program(kOwn, "lost_stderr", GetParam(), talkative("unread"));
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ("still there\n", run.outcome.out);
}

} // namespace
} // namespace ocb_test
