// SPDX-License-Identifier: Apache-2.0
// Begins the test program anew for one test, and hands on what it says where it fails.
#include "fresh_process.h"

#include "base/log.h"

#include <cstdlib>
#include <filesystem>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace ocb::test {
namespace {

constexpr const char *kMark = "OCB_UNIT_TEST_IS_FRESH";

std::string name_of_test() {
    const testing::TestInfo *test = testing::UnitTest::GetInstance()->current_test_info();
    return std::string(test->test_suite_name()) + "." + test->name();
}

// What programs of another machine run by: words of a command; none where it is this one, or where
// that machine is there.
std::vector<std::string> emulator() {
    std::vector<std::string> words;
#ifdef OCB_TEST_EMULATOR
    if (std::getenv("OCB_TEST_REAL_MACHINE") != nullptr) {
        return words;
    }
    std::istringstream command(OCB_TEST_EMULATOR);
    for (std::string word; command >> word;) {
        words.push_back(word);
    }
#endif
    return words;
}

// The exit status of this program with the test alone; `output` receives what it says.
int run_again(const Environment &environment, std::string &output) {
    int ends[2];
    if (pipe(ends) != 0) {
        return -1;
    }
    std::string mark = std::string(kMark) + "=1";
    std::string self = "/proc/self/exe";
    std::vector<std::string> words = emulator();
    if (!words.empty()) {
        self = words[0];
        words.push_back(std::filesystem::read_symlink("/proc/self/exe"));
    } else {
        words.push_back(self);
    }
    words.push_back("--gtest_filter=" + name_of_test());
    std::vector<char *> arguments;
    for (std::string &word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    std::vector<char *> variables;
    for (const char *variable : environment) {
        variables.push_back(const_cast<char *>(variable));
    }
    variables.push_back(mark.data());
    for (char **variable = environ; *variable != nullptr; ++variable) {
        if (std::string(*variable).rfind("OCB_", 0) != 0 &&
            std::string(*variable).rfind("GTEST_", 0) != 0) {
            variables.push_back(*variable);
        }
    }
    variables.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    pid_t child = -1;
    const int error =
        posix_spawnp(&child, self.c_str(), &actions, nullptr, arguments.data(), variables.data());
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char buffer[4096];
    for (ssize_t size = 0; (size = read(ends[0], buffer, sizeof buffer)) > 0;) {
        output.append(buffer, static_cast<std::size_t>(size));
    }
    close(ends[0]);
    int status = -1;
    if (error != 0 || waitpid(child, &status, 0) != child) {
        return -1;
    }
    return status;
}

} // namespace

void capture_stderr() {
    testing::internal::CaptureStderr();
    record_standard_error();
}

void in_fresh_process(const Environment &environment, void (*body)()) {
    if (std::getenv(kMark) != nullptr) {
        return body();
    }
    std::string output;
    const int status = run_again(environment, output);
    EXPECT_EQ(status, 0) << output;
    EXPECT_NE(output.find("[  PASSED  ] 1 test."), std::string::npos) << output;
}

} // namespace ocb::test
