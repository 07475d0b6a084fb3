// SPDX-License-Identifier: Apache-2.0
#include "libgomp_run.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ocb_test {

namespace {

// A path with a space or a colon cannot stand in LD_PRELOAD: a link to it can.
std::string preloadable(const std::string &library, const TemporaryFolder &folder) {
    if (library.find_first_of(" :") == std::string::npos) {
        return library;
    }
    const std::filesystem::path file = library;
    std::string link = folder.file(file.filename());
    std::filesystem::create_symlink(file, link);
    return link;
}

} // namespace

std::string program_path(const std::string &name) {
    return std::string(OCB_LIBGOMP_PROGRAMS "/") + name;
}

Recorded run_recorded(const std::string &program, const LibgompRun &run) {
    const TemporaryFolder folder;
    const std::string record = folder.file("record");
    Command command;
    command.arguments = {program};
    command.arguments.insert(command.arguments.end(), run.arguments.begin(), run.arguments.end());
    command.environment = run.environment;
    command.environment["OCB_RECORD"] = record;
    // Waiting threads give up the processor soon: there may be fewer processors than threads.
    command.environment.emplace("OMP_WAIT_POLICY", "passive");
    // Another libgomp than the installed one: the folder that has its libgomp.so.1.
    if (const char *other = std::getenv("OCB_TEST_LIBGOMP")) {
        command.environment["LD_LIBRARY_PATH"] = other;
    }
    std::string preload;
    for (const std::string &library : run.preload) {
        preload += (preload.empty() ? "" : ":") + preloadable(library, folder);
    }
    if (!preload.empty()) {
        command.environment["LD_PRELOAD"] = preload;
    }
    command.time_limit_s = run.time_limit_s;
    Recorded recorded;
    recorded.outcome = ocb_test::run(command);
    std::ifstream file(record);
    std::string name;
    for (long begins = 0, ends = 0; file >> name >> begins >> ends;) {
        recorded.counts[name] = {begins, ends};
    }
    return recorded;
}

} // namespace ocb_test
