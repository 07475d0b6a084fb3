// SPDX-License-Identifier: Apache-2.0
//
// launcher_run.h - runs the built ompcollect, and takes its report apart.
#pragma once

#include "process.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ocb_test {

inline const std::string kLauncher = OCB_TEST_BIN_FOLDER "/ompcollect";
inline const std::string kClangEnding = OCB_TEST_PROGRAMS "/clang/ending";
inline const std::string kGccEnding = OCB_TEST_PROGRAMS "/gcc/ending";

// A sanitizer's runtime wants to be first in a process; a preloaded bridge built with one brings it
// too late. What is tested here is not the bridge.
#define OCB_SKIP_IF_SANITIZED()                                                                    \
    if (sizeof(OCB_TEST_SANITIZE) > 1)                                                             \
    GTEST_SKIP() << "the bridge is built with a sanitizer"

inline Outcome launch(const std::vector<std::string> &arguments,
                      std::map<std::string, std::string> environment = {}) {
    Command command;
    command.arguments = {kLauncher};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = std::move(environment);
    return run(command);
}

inline std::vector<std::string> words_of(const std::string &line) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) {
        words.push_back(word);
    }
    return words;
}

// State -> percent of all threads' time, from the first table of states.
inline std::map<std::string, double> total_shares(const std::string &report) {
    std::map<std::string, double> shares;
    std::istringstream lines(report);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> words = words_of(line);
        if (!words.empty() && words[0] == "state") {
            inside = true;
        } else if (inside && (words.empty() || words[0] == "all")) {
            break;
        } else if (inside) {
            for (const std::string &word : words) {
                if (word.ends_with("%")) {
                    shares[words[0]] = std::stod(word);
                    break;
                }
            }
        }
    }
    return shares;
}

} // namespace ocb_test
