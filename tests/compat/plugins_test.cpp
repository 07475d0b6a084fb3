// SPDX-License-Identifier: Apache-2.0
//
// Hosts of plugins under the launcher, without any option: the host has no OpenMP, its plugins
// bring it. The program must do the same as without us, twice, and the profile must have the
// plugins' regions. A plugin that is opened RTLD_LOCAL means its own runtime.
#include "launcher_run.h"

#include "known_failures.h"

namespace ocb_test {
namespace {

struct Host {
    const char *name;
    std::vector<std::string> plugins;
    // Functions whose regions the profile names. Of two runtimes the first that is used is
    // observed.
    std::vector<std::string> seen;
};

void PrintTo(const Host &host, std::ostream *out) {
    *out << host.name;
}

std::string plugin(const std::string &way, const std::string &name) {
    return way + ":" + OCB_TEST_PROGRAMS + "/plugins/lib" + name + ".so";
}

const Host kHosts[] = {
    {"OneLocal", {plugin("local", "first_gcc")}, {"work_of_first"}},
    {"OneGlobal", {plugin("global", "first_gcc")}, {"work_of_first"}},
    {"LocalAndGlobal",
     {plugin("local", "first_gcc"), plugin("global", "second_gcc")},
     {"work_of_first", "work_of_second"}},
    {"GlobalAndLocal",
     {plugin("global", "first_gcc"), plugin("local", "second_gcc")},
     {"work_of_first", "work_of_second"}},
    {"OneOfClangLocal", {plugin("local", "first_clang")}, {"work_of_first"}},
    {"ClangAndGccLocal",
     {plugin("local", "first_clang"), plugin("local", "second_gcc")},
     {"work_of_first"}},
    {"GccAndClangLocal",
     {plugin("local", "first_gcc"), plugin("local", "second_clang")},
     {"work_of_first"}},
    {"ClangLocalAndGccGlobal",
     {plugin("local", "first_clang"), plugin("global", "second_gcc")},
     {"work_of_first"}},
    // The runtime is opened, closed and opened again.
    {"OneAnew", {plugin("anew", "first_gcc")}, {"work_of_first"}},
    {"TwoAnew",
     {plugin("anew", "first_gcc"), plugin("anew", "second_gcc")},
     {"work_of_first", "work_of_second"}},
    {"AnewBesideClangLocal",
     {plugin("anew", "first_gcc"), plugin("local", "second_clang")},
     {"work_of_first"}},
    {"ClangAnew", {plugin("anew", "first_clang")}, {"work_of_first"}},
};

// libgomp's threads do not survive that it is closed, so a program that does so dies by itself. It
// computes the same where nothing is closed.
std::string kept_open(std::string word) {
    const std::string anew = "anew:";
    return word.compare(0, anew.size(), anew) == 0 ? "local:" + word.substr(anew.size()) : word;
}

class HostOfPlugins : public testing::TestWithParam<Host> {
  protected:
    void SetUp() override { OCB_SKIP_KNOWN_FAILURE(); }
};

INSTANTIATE_TEST_SUITE_P(Plugins, HostOfPlugins, testing::ValuesIn(kHosts),
                         [](const auto &host) { return host.param.name; });

TEST_P(HostOfPlugins, DoesTheSameAndShowsItsRegions) {
    OCB_SKIP_IF_SANITIZED();
    Command command;
    command.arguments = {OCB_TEST_PROGRAMS "/plugins/host"};
    command.environment = {{"OMP_WAIT_POLICY", "passive"}};
    command.time_limit_s = 60; // what takes longer hangs: a run takes a moment
    Command plainly = command;
    for (const std::string &word : GetParam().plugins) {
        command.arguments.push_back(word);
        plainly.arguments.push_back(kept_open(word));
    }
    const Outcome plain = run(plainly);
    ASSERT_EQ(3, plain.exit_code) << plain.describe();
    ASSERT_EQ(20U, count(plain.out, "\n"));
    command.arguments.insert(command.arguments.begin(), kLauncher);
    for (int i = 0; i < 2; ++i) {
        const Outcome outcome = run(command);
        ASSERT_FALSE(outcome.timed_out) << "hangs\n" << outcome.describe();
        EXPECT_EQ(plain.exit_code, outcome.exit_code) << outcome.describe();
        EXPECT_EQ(plain.out, outcome.out);
        EXPECT_NE(std::string::npos, outcome.err.find("\nParallel regions")) << outcome.describe();
        for (const std::string &function : GetParam().seen) {
            EXPECT_NE(std::string::npos, outcome.err.find(function)) << outcome.describe();
        }
    }
}

} // namespace
} // namespace ocb_test
