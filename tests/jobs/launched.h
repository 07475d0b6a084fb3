// SPDX-License-Identifier: Apache-2.0
//
// Runs scripts of launchers, and reports of what they leave.
#pragma once

#include "process.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace ocb_test {

inline const std::string kLauncher = OCB_TEST_BIN_FOLDER "/ompcollect";
inline const std::string kEnding = OCB_TEST_PROGRAMS "/clang/ending";

// In the script "$0" is the launcher, "$1" the program `ending`, and "$2" the first argument.
inline Outcome shell(const std::string &script, const std::vector<std::string> &arguments = {},
                     std::map<std::string, std::string> environment = {}) {
    Command command;
    command.arguments = {"/bin/bash", "-c", script, kLauncher, kEnding};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = std::move(environment);
    return run(command);
}

inline std::string report(const std::string &what, const std::string &options = "") {
    const Outcome outcome = shell("\"$0\" report " + options + " \"$2\"", {what});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    return outcome.out;
}

// Namespaces and mounts need root, and a filter that permits them.
#define OCB_SKIP_WITHOUT_MOUNTS()                                                                  \
    if (!shell("unshare -m mount -t tmpfs none /mnt").succeeded())                                 \
    GTEST_SKIP() << "nothing can be mounted here"

inline bool contains(const std::string &text, const std::string &words) {
    return text.find(words) != std::string::npos;
}

// True if the report has a warning. One of a shared machine does not count: tests run side by side.
inline bool warns(const std::string &text) {
    constexpr char kWarning[] = "warning: ";
    for (size_t at = 0; (at = text.find(kWarning, at)) != std::string::npos; ++at) {
        const std::string line = text.substr(at, text.find('\n', at) - at);
        if (!contains(line, "the machine was shared")) {
            return true;
        }
    }
    return false;
}

} // namespace ocb_test
