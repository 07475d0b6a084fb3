// SPDX-License-Identifier: Apache-2.0
//
// setuid_test.cpp - a program that runs with more rights than its user has: the user's environment
// must not reach the library. The program has the bridge inside, as nothing can be preloaded. Needs
// root, to make such a program and to be another user.
#include "process.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

constexpr const char *kProgram = OCB_TEST_PROGRAM_FOLDER "/clang/embedded";

// Everything the library reads, each set to what would show.
std::map<std::string, std::string> hostile_environment() {
    const std::string tool = OCB_TEST_LIBRARY_FOLDER "/libocb-loading-part.so";
    return {{"OCB_LOG", "debug"},     {"OCB_FIRST_REGION_ID", "500"}, {"OCB_TOOL_LIBRARIES", tool},
            {"OCB_INIT", "nonsense"}, {"OMP_NUM_THREADS", "2"},       {"LD_PRELOAD", tool}};
}

Outcome run_as_nobody(const std::string &program) {
    Command command;
    command.arguments = {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                         program};
    command.environment = hostile_environment();
    return run(command);
}

class SetUser : public testing::Test {
  protected:
    void SetUp() override {
        if (geteuid() != 0) {
            GTEST_SKIP() << "not root";
        }
        folder_ = folder_holder_.file("");
        fs::permissions(folder_, fs::perms::owner_all | fs::perms::group_exec |
                                     fs::perms::others_exec | fs::perms::others_read);
        program_ = folder_holder_.file("program");
        fs::copy_file(kProgram, program_);
        fs::permissions(program_, fs::perms::owner_all | fs::perms::group_exec |
                                      fs::perms::others_exec | fs::perms::others_read);
    }

    std::string program_;

  private:
    TemporaryFolder folder_holder_;
    fs::path folder_;
};

// That the environment would have shown.
TEST_F(SetUser, AnOrdinaryProgramReadsTheEnvironment) {
    const Outcome outcome = run_as_nobody(program_);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_NE(std::string::npos, outcome.out.find("region 500\n")) << outcome.out;
    EXPECT_NE(std::string::npos, outcome.err.find("OCB_INIT is ignored")) << outcome.err;
    EXPECT_NE(std::string::npos, outcome.err.find("info: session started")) << outcome.err;
}

TEST_F(SetUser, APrivilegedOneDoesNot) {
    fs::permissions(program_, fs::perms::set_uid, fs::perm_options::add);
    const Outcome outcome = run_as_nobody(program_);
    if (outcome.out.find("secure\n") == std::string::npos) {
        GTEST_SKIP() << "the folder for temporary files is mounted nosuid";
    }
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ("secure\nSTART 0\n2 threads, 1 FORK, 1 JOIN, region 1\n", outcome.out);
    EXPECT_EQ(std::string::npos, outcome.err.find("[omp-collector-bridge]")) << outcome.err;
}

} // namespace
} // namespace ocb_test
