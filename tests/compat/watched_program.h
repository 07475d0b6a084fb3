// SPDX-License-Identifier: Apache-2.0
//
// Programs with the preloaded part and the collector, without the launcher, and what their profiles
// hold.
#pragma once

#include "launcher_run.h"

#include "profile_files.h"
#include "rate_here.h"
#include "read_profile.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ocb_test {

inline const std::string kClangManners = OCB_TEST_PROGRAMS "/clang/manners";
inline const std::string kClangMany = OCB_TEST_PROGRAMS "/clang/many";
inline const std::string kClangSleeps = OCB_TEST_PROGRAMS "/clang/sleeps";
inline const std::string kClangUrgent = OCB_TEST_PROGRAMS "/clang/urgent";

struct Watched {
    Outcome outcome;
    std::vector<ompcollect::report::Process> profiles;
    std::vector<std::unique_ptr<ompcollect::FileHeader>> headers; // as the files begin

    [[nodiscard]] const ompcollect::report::Process &profile() const { return profiles.front(); }
};

// LD_PRELOAD takes no path with a space, so the library is found by name.
inline std::map<std::string, std::string> watched_environment(const std::string &folder) {
    return {{"LD_LIBRARY_PATH", OCB_TEST_LIB_FOLDER},
            {"LD_PRELOAD", "libompcollect-preload.so"},
            {"OMPCOLLECT_RATE", rate_here("500")},
            {"OMPCOLLECT_PROFILE_DIR", folder}};
}

inline Watched watch(const std::vector<std::string> &arguments,
                     const std::map<std::string, std::string> &additions = {}) {
    const TemporaryFolder folder;
    Command command;
    command.arguments = arguments;
    command.environment = watched_environment(folder.file(""));
    for (const auto &[name, value] : additions) {
        command.environment[name] = value;
    }
    Watched result;
    result.outcome = run(command);
    for (const std::filesystem::path &file : profile_files(folder.file(""))) {
        EXPECT_EQ(why_not_read(file, result.profiles.emplace_back()), "") << file;
        result.headers.push_back(std::make_unique<ompcollect::FileHeader>());
        std::ifstream(file).read(reinterpret_cast<char *>(result.headers.back().get()),
                                 sizeof(ompcollect::FileHeader));
    }
    return result;
}

inline Outcome run_alone(const std::vector<std::string> &arguments) {
    Command command;
    command.arguments = arguments;
    return run(command);
}

} // namespace ocb_test
