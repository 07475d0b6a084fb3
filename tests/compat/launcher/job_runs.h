// SPDX-License-Identifier: Apache-2.0
//
// The launcher in scripts, and what it has written.
#pragma once

#include "launcher_run.h"

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ocb_test {

inline constexpr char kReportHead[] = "== OpenMP profile of ";

inline std::string file_text(const std::string &path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

inline Outcome run_shell(const std::string &script, const std::vector<std::string> &arguments,
                         std::map<std::string, std::string> environment = {}) {
    Command command;
    command.arguments = {"/bin/bash", "-c", script, kLauncher};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = std::move(environment);
    return run(command);
}

} // namespace ocb_test
