// SPDX-License-Identifier: Apache-2.0
//
// See suite.h.
#include "suite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace compliance_test {

std::string mini_runtime(const std::string &generation) {
    return OCB_TEST_MINI_RUNTIMES "/" + generation + "/libomp.so.5";
}

ocb_test::Outcome run_suite(const std::vector<std::string> &arguments,
                            const std::map<std::string, std::string> &environment) {
    ocb_test::Command command;
    command.arguments = {OCB_TEST_SUITE};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    const auto has = [&](const char *option) {
        return std::find(arguments.begin(), arguments.end(), option) != arguments.end();
    };
    // A check that gets no processor does not hang.
    if (has("--runtime") && !has("--time-limit")) {
        command.arguments.insert(command.arguments.end(), {"--time-limit", "600"});
    }
    command.environment = environment;
    command.time_limit_s = 1500;
    return ocb_test::run(command);
}

Codes codes_of(const std::string &runtime, const std::vector<std::string> &only,
               const std::map<std::string, std::string> &environment) {
    std::vector<std::string> arguments = {"--runtime", runtime, "--brief"};
    for (const std::string &name : only) {
        arguments.insert(arguments.end(), {"--only", name});
    }
    const ocb_test::Outcome outcome = run_suite(arguments, environment);
    EXPECT_FALSE(outcome.timed_out) << outcome.describe();
    EXPECT_EQ(outcome.signal, 0) << outcome.describe();
    Codes codes;
    std::istringstream lines(outcome.out);
    std::string name;
    std::string code;
    while (lines >> name >> code) {
        codes[name] = code;
    }
    return codes;
}

const std::vector<std::string> &check_names() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> found;
        const ocb_test::Outcome outcome = run_suite({"--list"});
        std::istringstream lines(outcome.out);
        for (std::string line; std::getline(lines, line);) {
            found.push_back(line.substr(0, line.find(' ')));
        }
        return found;
    }();
    return kNames;
}

} // namespace compliance_test
