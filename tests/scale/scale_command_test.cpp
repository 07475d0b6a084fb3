// SPDX-License-Identifier: Apache-2.0
//
// ompcollect scale with a real program, in the default way.
#include "failure.h"
#include "process.h"
#include "scale_command.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;
constexpr char kLauncher[] = OCB_TEST_BIN_FOLDER "/ompcollect";
using ompcollect::report::sized;
using ompcollect::report::thread_list;

class ScaleCommand : public testing::TestWithParam<const char *> {
  protected:
    void SetUp() override {
        if (std::string(OCB_SANITIZE).size() > 0) {
            GTEST_SKIP() << "the collector has no sanitizer";
        }
    }
    [[nodiscard]] Outcome scaled(std::vector<std::string> words, const std::string &what,
                                 const std::string &size = {}) const {
        const std::string program = std::string(OCB_TEST_PROGRAMS "/") + GetParam() + "/scaled";
        words.insert(words.begin(), {kLauncher, "scale"});
        words.insert(words.end(), {"--runs", runs_, "--", program});
        if (!what.empty()) {
            words.push_back(what);
        }
        if (!size.empty()) {
            words.push_back(size);
        }
        Command command;
        command.arguments = words;
        return run(command);
    }
    const TemporaryFolder folder_;
    const std::string runs_ = folder_.file("runs");
};

TEST_P(ScaleCommand, KeepsItsRunsAndShowsThemAgain) {
    const Outcome first = scaled({"-t", "1,2", "--each", "2", "--format", "json"}, "plain");
    ASSERT_TRUE(first.succeeded()) << first.describe();
    const auto read = nlohmann::json::parse(first.out);
    ASSERT_EQ(read["rows"].size(), 2U);
    EXPECT_EQ(read["rows"][0]["runs"], 2);
    EXPECT_EQ(read["rows"][1]["threads"], 2);
    EXPECT_EQ(read["rows"][1]["seen_threads"], 2);
    EXPECT_TRUE(read["not_counted"].empty()) << first.out;
    EXPECT_GT(read["rows"][0]["thread_seconds"]["useful"].get<double>(), 0.1) << first.out;
    EXPECT_NE(first.err.find("run 4 of 4, 2 threads: "), std::string::npos) << first.err;
    Command again;
    again.arguments = {kLauncher, "scale", "--format", "json", "--of", runs_};
    EXPECT_EQ(run(again).out, first.out);
    // New runs take the place of these.
    const Outcome next = scaled({"-t", "1,2", "--each", "1", "--format", "json"}, "plain");
    ASSERT_TRUE(next.succeeded()) << next.describe();
    EXPECT_EQ(nlohmann::json::parse(next.out)["rows"][0]["runs"], 1);
}

TEST_P(ScaleCommand, ARunThatFailsIsNamed) {
    const Outcome outcome = scaled({"-t", "1,2", "--each", "1"}, "fails");
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_NE(outcome.out.find("not counted: 2 threads, run 1: exit code 3: out of cheese"),
              std::string::npos)
        << outcome.describe();
    EXPECT_NE(outcome.out.find("No fit: "), std::string::npos) << outcome.out;
}

TEST_P(ScaleCommand, ARunWithAnotherOutputIsNamed) {
    const Outcome outcome = scaled({"-t", "1,2", "--each", "1"}, "differs");
    EXPECT_NE(outcome.out.find("not counted: 2 threads, run 1: its output is not that of t1-1.out"),
              std::string::npos)
        << outcome.describe();
    Command again;
    again.arguments = {kLauncher, "scale", "--any-output", "--of", runs_};
    EXPECT_EQ(run(again).out.find("not counted"), std::string::npos);
}

TEST_P(ScaleCommand, AProgramWithItsOwnNumberIsTold) {
    const Outcome outcome = scaled({"-t", "1,2", "--each", "1", "--any-output"}, "alone");
    EXPECT_NE(outcome.out.find("of 2 threads that were asked for, 1 took part"), std::string::npos)
        << outcome.describe();
}

TEST_P(ScaleCommand, ASizeGrowsWithTheThreads) {
    const Outcome outcome =
        scaled({"-t", "1,2", "--each", "1", "--size", "n={t}*1000"}, "plain", "n={n}");
    EXPECT_NE(outcome.out.find("== Weak scaling of "), std::string::npos) << outcome.describe();
    Command shown;
    shown.arguments = {"/bin/cat", runs_ + "/t2-1.out"};
    EXPECT_NE(run(shown).out.find("n=2000"), std::string::npos) << run(shown).out;
}

INSTANTIATE_TEST_SUITE_P(By, ScaleCommand, testing::Values("gcc", "clang"),
                         [](const auto &compiler) { return std::string(compiler.param); });

// One line with cause and cure, exit code 2, and nothing has run.
TEST(ScaleRefuses, WrongOptions) {
    const TemporaryFolder folder;
    const std::string runs = folder.file("runs");
    const std::vector<std::vector<std::string>> wrong = {
        {"-t", "0,1", "--", "/bin/true"},
        {"-t", "4,2", "--", "/bin/true"},
        {"-t", "2,2", "--", "/bin/true"},
        {"-t", "1,,2", "--", "/bin/true"},
        {"-t", "1,x", "--", "/bin/true"},
        {"-t", "1", "--", "/bin/true"},
        {"-t", "1,99999999999", "--", "/bin/true"},
        {"--", "/bin/true"},
        {"-t", "1,2"},
        {"-t", "1,2", "--each", "0", "--", "/bin/true"},
        {"-t", "1,2", "--size", "n=t", "--", "/bin/true"},
        {"-t", "1,2", "--size", "n={t}", "--", "/bin/true"},
        {"-t", "1,2", "--no-such", "--", "/bin/true"},
        {"--of", folder.file("nowhere")},
    };
    for (const std::vector<std::string> &words : wrong) {
        Command command;
        command.arguments = {kLauncher, "scale", "--runs", runs};
        command.arguments.insert(command.arguments.end(), words.begin(), words.end());
        const Outcome outcome = run(command);
        EXPECT_EQ(outcome.exit_code, 2) << outcome.describe();
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1)
            << outcome.describe();
        EXPECT_NE(outcome.err.find(';'), std::string::npos) << outcome.describe();
        EXPECT_FALSE(fs::exists(runs)) << outcome.describe();
    }
}

TEST(ScaleRefuses, AFolderWithOtherFiles) {
    const TemporaryFolder folder;
    Command command;
    command.arguments = {kLauncher, "scale", "-t", "1,2", "--runs", "/usr", "--", "/bin/true"};
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("is there already"), std::string::npos) << outcome.err;
    // Not even what looks like a run of its own goes.
    for (const char *name : {"t1-1.ompc", "notes"}) {
        std::ofstream(folder.file(name)) << "kept";
    }
    command.arguments[5] = folder.file(".");
    EXPECT_EQ(run(command).exit_code, 2);
    EXPECT_TRUE(fs::exists(folder.file("t1-1.ompc")));
    EXPECT_TRUE(fs::exists(folder.file("notes")));
}

TEST(ScaleWords, ThreadListsAndSizes) {
    EXPECT_EQ(thread_list("1,2,4,8"), (std::vector<unsigned>{1, 2, 4, 8}));
    EXPECT_EQ(sized({"./app", "-n{n}", "{n},{n}"}, "n={t}*1000", 4),
              (std::vector<std::string>{"./app", "-n4000", "4000,4000"}));
    EXPECT_EQ(sized({"./app", "{n}"}, "", 4), (std::vector<std::string>{"./app", "{n}"}));
    EXPECT_THROW(sized({"./app"}, "n={t}", 4), ompcollect::Failure);
}

} // namespace
} // namespace ocb_test
