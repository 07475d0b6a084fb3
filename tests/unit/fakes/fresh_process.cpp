// SPDX-License-Identifier: Apache-2.0
// Runs one test in a new process. That is a fork of one that was begun before the first test: to
// begin the program anew would register all tests again, which an emulator takes long for.
#include "fresh_process.h"

#include "base/log.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ocb::test {
namespace {

// Of the process that forks; both ends are -1 in a fork of it, where a test runs.
int requests = -1;
int output_file = -1; // what its forks say

constexpr std::size_t kMostBytes = 4096;

std::string name_of_test() {
    const testing::TestInfo *test = testing::UnitTest::GetInstance()->current_test_info();
    return std::string(test->test_suite_name()) + "." + test->name();
}

void forget_variables() {
    std::vector<std::string> names;
    for (char **variable = environ; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        if (text.rfind("OCB_", 0) == 0 || text.rfind("GTEST_", 0) == 0) {
            names.push_back(text.substr(0, text.find('=')));
        }
    }
    for (const std::string &name : names) {
        unsetenv(name.c_str());
    }
}

// `request`: the test's name and the variables, each with its null byte.
[[noreturn]] void run_test(const char *request, const char *end) {
    requests = -1;
    dup2(output_file, STDOUT_FILENO);
    dup2(output_file, STDERR_FILENO);
    forget_variables();
    const std::string name = request;
    for (request += name.size() + 1; request < end; request += std::strlen(request) + 1) {
        const std::string variable = request;
        const std::size_t equals = variable.find('=');
        setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
    }
    GTEST_FLAG_SET(filter, name);
    GTEST_FLAG_SET(brief, false);
    GTEST_FLAG_SET(output, "");
    GTEST_FLAG_SET(repeat, 1);
    const int status = RUN_ALL_TESTS();
    exit(status);
}

// One request at a time, each answered by the status of its process.
[[noreturn]] void serve(int socket) {
    char request[kMostBytes];
    for (ssize_t size = 0; (size = recv(socket, request, sizeof request, 0)) > 0;) {
        const pid_t child = fork();
        if (child == 0) {
            close(socket);
            run_test(request, request + size);
        }
        int status = -1;
        if (child < 0 || waitpid(child, &status, 0) != child) {
            status = -1;
        }
        send(socket, &status, sizeof status, 0);
    }
    _exit(0);
}

void begin_server() {
    int ends[2];
    output_file = memfd_create("output", 0);
    if (output_file < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0) {
        std::abort();
    }
    std::fflush(nullptr);
    if (fork() == 0) {
        close(ends[0]);
        serve(ends[1]);
    }
    close(ends[1]);
    requests = ends[0];
}

// The exit status of a fork that runs this test alone; `output` receives what it says.
int run_in_fork(const Environment &environment, std::string &output) {
    std::string request = name_of_test() + '\0';
    for (const char *variable : environment) {
        request.append(variable).push_back('\0');
    }
    int status = -1;
    if (ftruncate(output_file, 0) != 0 || lseek(output_file, 0, SEEK_SET) != 0 ||
        send(requests, request.data(), request.size(), 0) < 0 ||
        recv(requests, &status, sizeof status, 0) != sizeof status) {
        return -1;
    }
    char buffer[kMostBytes];
    for (ssize_t size = 0, at = 0; (size = pread(output_file, buffer, sizeof buffer, at)) > 0;
         at += size) {
        output.append(buffer, static_cast<std::size_t>(size));
    }
    return status;
}

} // namespace

void capture_stderr() {
    testing::internal::CaptureStderr();
    record_standard_error();
}

void in_fresh_process(const Environment &environment, void (*body)()) {
    if (requests < 0) {
        return body();
    }
    std::string output;
    const int status = run_in_fork(environment, output);
    EXPECT_EQ(status, 0) << output;
    EXPECT_NE(output.find("[  PASSED  ] 1 test."), std::string::npos) << output;
}

} // namespace ocb::test

int main(int count, char **words) {
    testing::InitGoogleTest(&count, words);
    ocb::test::begin_server();
    return RUN_ALL_TESTS();
}
