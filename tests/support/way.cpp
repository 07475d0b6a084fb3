// SPDX-License-Identifier: Apache-2.0
//
// way.cpp - see way.h. OCB_TEST_LAUNCHER comes from CMake.
#include "way.h"

#include "other_machine.h"
#include "process.h"

#include <sstream>
#include <stdexcept>
#include <tuple>

namespace ocb_test {

namespace {

// A word as the launcher quotes it for a shell: as it is, or in single quotes.
std::string unquoted(const std::string &word) {
    std::string text;
    bool is_quoted = false;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (word[i] == '\'') {
            is_quoted = !is_quoted;
        } else {
            i += word[i] == '\\' && !is_quoted ? 1 : 0;
            text += word[i];
        }
    }
    return text;
}

std::map<std::string, std::string> ask(const LaunchWish &wish) {
#ifdef OCB_TEST_LAUNCHER
    Command command;
    command.arguments = command_of(on_machine(OCB_TEST_LAUNCHER));
    command.arguments.emplace_back("--dry-run");
    if (!wish.collector.empty()) {
        command.arguments.insert(command.arguments.end(), {"--collector", wish.collector});
    }
    if (!wish.runtime.empty()) {
        command.arguments.insert(command.arguments.end(), {"--runtime", wish.runtime});
    }
    command.arguments.insert(command.arguments.end(), {"--", wish.program});
    command.environment["LD_LIBRARY_PATH"] = wish.libraries;
    const Outcome outcome = run(command);
    if (!outcome.succeeded()) {
        throw std::runtime_error("the launcher refuses: " + outcome.describe());
    }
    return variables_of(outcome.out);
#else
    throw std::runtime_error("this build has no launcher for " + wish.program);
#endif
}

} // namespace

bool LaunchWish::operator<(const LaunchWish &other) const {
    return std::tie(program, collector, runtime, libraries) <
           std::tie(other.program, other.collector, other.runtime, other.libraries);
}

std::map<std::string, std::string> variables_of(const std::string &dry_run) {
    std::map<std::string, std::string> variables;
    std::istringstream lines(dry_run);
    const std::string end = " \\"; // of each line but the command's
    for (std::string line; std::getline(lines, line) && line.ends_with(end);) {
        const std::size_t equals = line.find('=');
        const std::string value = line.substr(equals + 1, line.size() - end.size() - equals - 1);
        variables[line.substr(0, equals)] = unquoted(value);
    }
    return variables;
}

const std::map<std::string, std::string> &launch_environment(const LaunchWish &wish) {
    static std::map<LaunchWish, std::map<std::string, std::string>> asked;
    auto found = asked.find(wish);
    if (found == asked.end()) {
        found = asked.emplace(wish, ask(wish)).first;
    }
    return found->second;
}

} // namespace ocb_test
