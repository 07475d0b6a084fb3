// SPDX-License-Identifier: Apache-2.0
// The front against the dynamic linker's own words (LD_DEBUG=bindings): for each object and
// function of a runtime, whose definition is called. In programs and plugins of each kind of
// binding, opened in each way, with one runtime, two, and a private copy.
#include "process.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <tuple>

namespace ocb_test {
namespace {

const std::string kFront = std::string(OCB_FRONT_LIBRARIES) + "/libomp-collector-front.so";

std::string program(const std::string &name) {
    return std::string(OCB_FRONT_PROGRAMS) + "/" + name;
}

// The functions that the front has a stub for: true where it is bound for libgomp alone.
const std::map<std::string, bool> &entries() {
    static const std::map<std::string, bool> kNames = [] {
        std::map<std::string, bool> found;
        std::ifstream file(OCB_FRONT_ENTRIES);
        const std::regex row("^(FORK|ENTRY|PLAIN|OLD_ENTRY|OLD_PLAIN)\\((\\w+).*");
        for (std::string line; std::getline(file, line);) {
            if (std::smatch match; std::regex_match(line, match, row)) {
                found[match[2]] = match[1].str().find("PLAIN") != std::string::npos;
            }
        }
        return found;
    }();
    return kNames;
}

bool is_bound(const std::string &function, const std::string &definer) {
    const auto entry = entries().find(function);
    return entry != entries().end() &&
           (!entry->second || definer.find("/libgom") != std::string::npos);
}

struct Call {
    std::string caller, function;
    bool operator<(const Call &other) const {
        return std::tie(caller, function) < std::tie(other.caller, other.function);
    }
};
using Definers = std::map<Call, std::string>;

bool is_of_runtime(const std::string &object) {
    const std::string name = std::filesystem::path(object).filename();
    return name.rfind("libgomp", 0) == 0 || name.rfind("libgomq", 0) == 0 ||
           name.rfind("libomp.so", 0) == 0;
}

Command command_of(const std::vector<std::string> &arguments) {
    Command command;
    command.arguments = arguments;
    command.environment["LD_LIBRARY_PATH"] = OCB_FRONT_LIBOMPS "/14/lib";
    command.environment["OMP_WAIT_POLICY"] = "passive";
    return command;
}

std::string file_of(const std::string &object, const std::string &program_file) {
    return object == program_file ? "(program)"
                                  : std::filesystem::weakly_canonical(object).string();
}

// What the linker has bound, the runtimes' own calls left out.
Definers by_the_linker(const std::vector<std::string> &arguments, std::string &out) {
    const TemporaryFolder folder;
    Command command = command_of(arguments);
    command.environment["LD_DEBUG"] = "bindings";
    command.environment["LD_DEBUG_OUTPUT"] = folder.file("bindings");
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    out = outcome.out;
    Definers definers;
    const std::regex line_of(
        ".*binding file (.*) \\[\\d+\\] to (.*) \\[\\d+\\]: normal symbol `(\\w+)'.*");
    for (const auto &file : std::filesystem::directory_iterator(
             std::filesystem::path(folder.file("")).parent_path())) {
        std::ifstream text(file.path());
        for (std::string line; std::getline(text, line);) {
            std::smatch match;
            if (std::regex_match(line, match, line_of) && is_bound(match[3], match[2]) &&
                !is_of_runtime(match[1])) {
                definers[{file_of(match[1], arguments[0]), match[3]}] =
                    file_of(match[2], arguments[0]);
            }
        }
    }
    return definers;
}

Definers by_the_front(const std::vector<std::string> &arguments, std::string &out) {
    Command command = command_of(arguments);
    // With a tool: without one, calls of libgomp are left to the linker from the first one on.
    command.environment["LD_PRELOAD"] = kFront + " " OCB_FRONT_TOOL;
    command.environment["OCB_FRONT"] = "trace";
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    out = outcome.out;
    Definers definers;
    const std::regex line_of("\\[omp-collector-front\\] (.*) calls (\\w+) of (.*)\n?");
    for (const std::string &line : lines_with_prefix(outcome.err, "[omp-collector-front]")) {
        std::smatch match;
        if (std::regex_match(line, match, line_of)) {
            definers[{file_of(match[1], "(program)"), match[2]}] = file_of(match[3], "(program)");
        }
    }
    return definers;
}

void expect_the_linkers_choice(const std::vector<std::string> &arguments, std::size_t fewest) {
    // The linker writes a line in pieces, and those of two threads can mix: such a line is lost.
    constexpr int kRuns = 5;
    std::string alone;
    std::string with;
    Definers expected = by_the_linker(arguments, alone);
    for (int i = 1; i < kRuns && expected.size() < fewest; ++i) {
        expected.merge(by_the_linker(arguments, alone));
    }
    const Definers found = by_the_front(arguments, with);
    EXPECT_EQ(alone, with);
    EXPECT_LE(fewest, expected.size());
    for (const auto &[call, definer] : expected) {
        const auto at = found.find(call);
        EXPECT_EQ(definer, at != found.end() ? at->second : "nobody")
            << call.caller << " calls " << call.function;
    }
}

class Bindings : public testing::TestWithParam<const char *> {};

std::string case_name(const testing::TestParamInfo<const char *> &info) {
    return info.param;
}

INSTANTIATE_TEST_SUITE_P(Hosts, Bindings,
                         testing::Values("none_lazy", "none_now", "none_noplt", "none_nopie",
                                         "gcc_lazy", "gcc_now", "gcc_noplt", "gcc_nopie",
                                         "clang_lazy", "clang_now", "clang_noplt", "clang_nopie"),
                         case_name);

constexpr std::size_t kFewestOfPlugin = 6;

TEST_P(Bindings, AreTheLinkersChoice) {
    for (const char *how : {"l", "g", "d"}) {
        for (const char *plugin : {"gcc_lazy", "gcc_now", "gcc_noplt", "clang_lazy", "clang_now",
                                   "clang_noplt", "copy_lazy"}) {
            SCOPED_TRACE(std::string(how) + " " + plugin);
            expect_the_linkers_choice({program(std::string("host_") + GetParam()), how,
                                       program(std::string("plugin_") + plugin + ".so")},
                                      kFewestOfPlugin);
        }
    }
}

// Three runtimes, and objects that come one after the other.
TEST_P(Bindings, OfPluginsThatFollowEachOther) {
    expect_the_linkers_choice({program(std::string("host_") + GetParam()), "l",
                               program("plugin_gcc_lazy.so"), "l", program("plugin_copy_lazy.so"),
                               "g", program("plugin_clang_lazy.so"), "d",
                               program("plugin_gcc_now.so")},
                              4 * kFewestOfPlugin);
}

// A program that does without a runtime is not told that there is one.
TEST(WeakReferences, StayNull) {
    for (const char *bound : {"lazy", "now", "noplt", "nopie"}) {
        Command command = command_of({program(std::string("weak_") + bound)});
        const Outcome alone = run(command);
        EXPECT_TRUE(alone.succeeded()) << alone.describe();
        EXPECT_NE(std::string::npos, alone.out.find("GOMP_parallel null\n"));
        command.environment["LD_PRELOAD"] = kFront;
        EXPECT_EQ(alone.out, run(command).out) << bound;
#ifdef OCB_TEST_LAUNCHER
        command.environment.erase("LD_PRELOAD");
        command.arguments.insert(command.arguments.begin(), {OCB_TEST_LAUNCHER, "--"});
        EXPECT_EQ(alone.out, run(command).out) << bound;
#endif
    }
}

// The second copy of the library, under whatever name, leaves all to the first.
TEST(Copies, OfTheFrontStandAside) {
    const TemporaryFolder folder;
    const std::string copy = folder.file("libgomp-ompt-copy.so");
    std::filesystem::copy_file(kFront, copy);
    const std::vector<std::string> arguments = {program("host_gcc_lazy"), "l",
                                                program("plugin_gcc_lazy.so")};
    std::string once;
    const Definers definers = by_the_front(arguments, once);
    for (const std::string &both : {kFront + " " + copy, copy + " " + kFront}) {
        Command command = command_of(arguments);
        command.environment["LD_PRELOAD"] = both + " " OCB_FRONT_TOOL;
        command.environment["OCB_FRONT"] = "trace";
        const Outcome outcome = run(command);
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_EQ(once, outcome.out);
        EXPECT_EQ(definers.size(), lines_with_prefix(outcome.err, "[omp-collector-front]").size())
            << outcome.err;
    }
}

} // namespace
} // namespace ocb_test
