// SPDX-License-Identifier: Apache-2.0
//
// Hosts of plugins under the launcher, without any option: the host has no OpenMP, its plugins
// bring it. The program must do the same as without us, twice, and the profile must have the
// plugins' regions. A plugin that is opened RTLD_LOCAL means its own runtime.
#include "launcher_run.h"

#include "known_failures.h"

#include <algorithm>
#include <map>
#include <sstream>

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
    // Each brings a libgomp of its own under another name, as Python wheels do.
    {"TwoPrivate",
     {plugin("local", "first_private"), plugin("local", "second_private")},
     {"work_of_first", "work_of_second"}},
    {"TwoPrivateAnew",
     {plugin("anew", "first_private"), plugin("anew", "second_private")},
     {"work_of_first", "work_of_second"}},
    {"PrivateAnewBesideShared",
     {plugin("anew", "first_private"), plugin("local", "second_gcc")},
     {"work_of_first", "work_of_second"}},
};

// libgomp's threads do not survive that it is closed, so a program that does so dies by itself. It
// computes the same where nothing is closed.
std::string kept_open(const std::string &word) {
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
    command.arguments.insert(command.arguments.begin(), {kLauncher, "--all"});
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

// Of one plugin: where its function stood, call by call.
std::vector<std::string> places_of(const std::string &plugin, const std::string &err) {
    const std::string word = "place " + plugin + " ";
    std::vector<std::string> places;
    for (size_t at = err.find(word); at != std::string::npos; at = err.find(word, at + 1)) {
        const size_t begin = at + word.size();
        places.push_back(err.substr(begin, err.find('\n', begin) - begin));
    }
    return places;
}

// In all rows of the report's table of regions that name the function, in the row itself or, where
// the states leave no room, in the line below.
long entries_of(const std::string &function, const std::string &report) {
    std::istringstream lines(report.substr(report.find("\nParallel regions") + 1));
    std::string line;
    std::getline(lines, line);
    long entries = 0, of_row = 0;
    while (std::getline(lines, line) && !line.empty()) {
        std::istringstream row(line);
        long number = 0;
        if (row >> number) {
            of_row = number;
        }
        if (line.find(" " + function + " ") != std::string::npos) {
            entries += of_row;
            of_row = 0;
        }
    }
    return entries;
}

// The same address is a call of one libgomp's function and then of the other's.
TEST(TwoPrivateLibgomps, TakeTheSameCallSites) {
    OCB_SKIP_IF_SANITIZED();
    const std::string host = OCB_TEST_PROGRAMS "/plugins/host";
    Command command;
    command.arguments = {kLauncher, "--all", host, plugin("anew", "first_private"),
                         plugin("anew", "second_private")};
    command.environment = {{"OMP_WAIT_POLICY", "passive"}, {"OCB_PLACES", "1"}};
    command.time_limit_s = 60;
    const Outcome outcome = run(command);
    ASSERT_EQ(3, outcome.exit_code) << outcome.describe();
    const std::vector<std::string> first = places_of("0", outcome.err);
    const std::vector<std::string> second = places_of("1", outcome.err);
    ASSERT_EQ(20U, first.size());
    ASSERT_EQ(20U, second.size());
    unsigned shared = 0;
    for (const std::string &place : second) {
        shared += std::find(first.begin(), first.end(), place) != first.end() ? 1 : 0;
    }
    EXPECT_GT(shared, 0U) << "the plugins never stood at one address\n" << outcome.describe();
    // Three regions, and in one of them two more.
    EXPECT_EQ(100, entries_of("work_of_first", outcome.err)) << outcome.describe();
    EXPECT_EQ(100, entries_of("work_of_second", outcome.err)) << outcome.describe();
}

// A program that has no single construct itself executes a hundred: how, and what else it is run
// with.
struct Singles {
    const char *name;
    std::vector<std::string> how; // the program and its arguments
    std::vector<std::string> options;
    std::map<std::string, std::string> environment;
};

void PrintTo(const Singles &singles, std::ostream *out) {
    *out << singles.name;
}

std::vector<std::string> in_plugin(const std::string &compiler) {
    const std::string folder = OCB_TEST_PROGRAMS "/" + compiler;
    return {folder + "/singles", "plugin", folder + "/singles_plugin.so"};
}

const Singles kSingles[] = {
    {"InPluginOfGcc", in_plugin("gcc"), {}, {}},
    {"InPluginOfClang", in_plugin("clang"), {}, {}},
    {"InPluginOfGccOnLibomp", in_plugin("gcc"), {"--runtime", "libomp"}, {}},
    {"InPluginWithoutFront", in_plugin("clang"), {"--no-front"}, {}},
    {"InPluginWithoutMarks", in_plugin("clang"), {}, {{"OCB_FRONT", "off"}}},
    // The front sees neither the calls nor their slots.
    {"Unmarked", {OCB_TEST_PROGRAMS "/clang/singles", "unmarked"}, {}, {}},
};

class SinglesOfOthers : public testing::TestWithParam<Singles> {};

INSTANTIATE_TEST_SUITE_P(Plugins, SinglesOfOthers, testing::ValuesIn(kSingles),
                         [](const auto &singles) { return singles.param.name; });

TEST_P(SinglesOfOthers, AreAllCounted) {
    OCB_SKIP_IF_SANITIZED();
    std::vector<std::string> words = {"--show", "events"};
    words.insert(words.end(), GetParam().options.begin(), GetParam().options.end());
    words.insert(words.end(), GetParam().how.begin(), GetParam().how.end());
    const Outcome outcome = launch(words, GetParam().environment);
    EXPECT_EQ("sum 19800, singles 100\n", outcome.out) << outcome.describe();
    EXPECT_NE(std::string::npos, outcome.err.find(" BEGIN_SINGLE 100 END_SINGLE 100\n"))
        << outcome.describe();
    EXPECT_NE(std::string::npos, outcome.err.find(" FORK 8 JOIN 8 ")) << outcome.describe();
}

} // namespace
} // namespace ocb_test
