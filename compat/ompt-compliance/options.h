// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace compliance {

enum class Action { kHelp, kVersion, kList, kRun, kOneCheck, kCollectorAnswers };

struct Options {
    Action action = Action::kRun;
    std::string help;
    std::string runtime;            // empty: the one that this system has
    std::string compiler = "clang"; // that has built the programs: clang or gcc
    std::vector<std::string> only;  // empty: all checks
    bool json = false;
    bool brief = false;
    std::string compare;
    int jobs = 0; // 0: as many as there are processors
    int time_limit = 30;
    std::string check; // of kOneCheck: this process is to run it
};

// Throws ompcollect::Failure.
Options parse_options(int argc, const char *const *argv);

} // namespace compliance
