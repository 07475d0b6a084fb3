// SPDX-License-Identifier: Apache-2.0
// A program with the preloaded part and the collector in it, without the launcher, and the profiles
// that it leaves.
#pragma once

#include "live_reader.h"
#include "process.h"
#include "profile_files.h"
#include "rate_here.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ocb_test {

struct Watched {
    Outcome outcome;
    std::vector<ompcollect::report::Process> profiles; // in the order of their files
};

inline std::map<std::string, std::string> watched_environment(const std::string &program) {
    const bool is_gcc = program.find("/gcc/") != std::string::npos;
    return {{"LD_LIBRARY_PATH", OCB_TEST_LIB_FOLDER ":" OCB_TEST_LIBOMPS "/14/lib"},
            {"LD_PRELOAD",
             is_gcc ? "libompcollect-preload.so libgomp-ompt.so" : "libompcollect-preload.so"},
            {"OMPCOLLECT_RATE", rate_here("1000")}};
}

inline Watched watch(const std::vector<std::string> &arguments,
                     const std::map<std::string, std::string> &additions = {}) {
    const TemporaryFolder folder;
    Command command;
    command.arguments = arguments;
    command.environment = watched_environment(arguments.front());
    command.environment["OMPCOLLECT_PROFILE_DIR"] = folder.file("");
    for (const auto &[name, value] : additions) {
        command.environment[name] = value;
    }
    Watched result;
    result.outcome = run(command);
    for (const std::filesystem::path &file : profile_files(folder.file(""))) {
        result.profiles.push_back(ompcollect::report::read_live_file(file));
    }
    return result;
}

// Without us.
inline Outcome run_alone(const std::vector<std::string> &arguments,
                         const std::map<std::string, std::string> &additions = {}) {
    Command command;
    command.arguments = arguments;
    command.environment = additions;
    return run(command);
}

} // namespace ocb_test
