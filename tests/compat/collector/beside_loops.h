// SPDX-License-Identifier: Apache-2.0
//
// Profiles of test programs under the built-in collector: alone, or beside one endless loop for
// each processor.
#pragma once

#include "busy_processes.h"
#include "launcher_run.h"

#include "profile_files.h"
#include "read_profile.h"

namespace ocb_test {

struct ProfiledRun {
    std::vector<std::string> program; // its path below the folder of programs, and arguments
    bool is_alone = false;
    std::vector<std::string> variables = {};
};

// `out`: where to put what it prints; null: nowhere.
inline Process profile_of(const ProfiledRun &run_of, std::string *out = nullptr) {
    const TemporaryFolder folder;
    Command command;
    std::vector<std::string> &words = command.arguments;
    if (run_of.is_alone) { // before other tests, where that is permitted
        words = {"/usr/bin/nice", "-n", "-15"};
    }
    words.insert(words.end(), {"/usr/bin/env", "LD_LIBRARY_PATH=" OCB_TEST_LIB_FOLDER,
                               "LD_PRELOAD=libomp-collector-front.so:libompcollect-preload.so",
                               "OMPCOLLECT_PROFILE_DIR=" + folder.file("")});
    words.insert(words.end(), run_of.variables.begin(), run_of.variables.end());
    words.push_back(OCB_TEST_PROGRAMS "/" + run_of.program.front());
    words.insert(words.end(), run_of.program.begin() + 1, run_of.program.end());
    const BusyProcesses others(run_of.is_alone ? 0 : sysconf(_SC_NPROCESSORS_ONLN));
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    if (out) {
        *out = outcome.out;
    }
    Process process;
    const auto files = profile_files(folder.file(""));
    EXPECT_EQ(why_not_read(files.empty() ? "" : files.back().string(), process), "");
    return process;
}

} // namespace ocb_test
