// SPDX-License-Identifier: Apache-2.0
// entries.txt against the installed libgomp, and against the functions of libgomp-ompt;
// what the library needs.
#include "process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace ocb_test {
namespace {

using Names = std::set<std::string>;

std::string output_of(const std::vector<std::string> &arguments) {
    Command command;
    command.arguments = {"/usr/bin/env"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    return outcome.out;
}

// The functions that a library exports, without versions.
Names exports_of(const std::string &library) {
    std::istringstream text(output_of({"nm", "-D", "--defined-only", library}));
    Names names;
    std::string address, kind, name;
    while (text >> address >> kind >> name) {
        if (kind != "A") {
            names.insert(name.substr(0, name.find('@')));
        }
    }
    return names;
}

// By name, or by its begin with a star.
std::map<std::string, std::string> entries() {
    std::ifstream file(OCB_LIBGOMP_ENTRIES);
    std::map<std::string, std::string> result;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string name, treatment;
        if (line[0] != '#' && words >> name >> treatment) {
            result[name] = treatment;
        }
    }
    return result;
}

bool is_listed(const std::map<std::string, std::string> &all, const std::string &name) {
    return all.count(name) != 0 || std::any_of(all.begin(), all.end(), [&](const auto &entry) {
               const std::string &pattern = entry.first;
               return pattern.back() == '*' &&
                      name.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0;
           });
}

TEST(Entries, OfTheInstalledLibgompAreAllListed) {
    const auto all = entries();
    ASSERT_GT(all.size(), 300U);
    for (const std::string &name : exports_of(OCB_LIBGOMP_FILE)) {
        EXPECT_TRUE(is_listed(all, name))
            << name << " is not in entries.txt: is it handled, passed or irrelevant?";
    }
}

// Those that libgomp-ompt has a function for. That each has a stub is seen when it is compiled.
TEST(Entries, HandledOnesHaveAFunction) {
    Names handled;
    for (const auto &[name, treatment] : entries()) {
        EXPECT_TRUE(treatment == "handled" || treatment == "passed" || treatment == "irrelevant")
            << name;
        if (treatment == "handled") {
            handled.insert(name);
        }
    }
    std::ifstream list(OCB_LIBGOMP_FUNCTIONS);
    const std::regex row("^(ENTRY|LOCK)\\((\\w+)\\)$");
    Names functions = {"omp_control_tool"}; // exported: no libgomp before OMPT has it
    for (std::string line; std::getline(list, line);) {
        if (std::smatch match; std::regex_match(line, match, row)) {
            functions.insert(match[2]);
        }
    }
    EXPECT_EQ(handled, functions);
}

TEST(Library, NeedsNothingButLibc) {
    std::istringstream lines(output_of({"readelf", "-d", OCB_LIBGOMP_OMPT}));
    Names needed;
    for (std::string line; std::getline(lines, line);) {
        if (line.find("(NEEDED)") != std::string::npos) {
            needed.insert(line.substr(line.find('[')));
        }
    }
    EXPECT_EQ(Names{"[libc.so.6]"}, needed);
}

// Four functions: the C runtime's, and those that note stderr, bind the program's calls and look
// for the bridge. None calls libgomp.
TEST(Library, HasNoMoreConstructors) {
    const std::string sections = output_of({"readelf", "-SW", OCB_LIBGOMP_OMPT});
    EXPECT_NE(std::string::npos, sections.find(".init_array"));
    std::istringstream words(sections.substr(sections.find(".init_array")));
    std::string name, type, address, offset, size;
    words >> name >> type >> address >> offset >> size;
    EXPECT_EQ("000020", size);
}

} // namespace
} // namespace ocb_test
