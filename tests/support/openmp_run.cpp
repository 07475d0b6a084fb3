// SPDX-License-Identifier: Apache-2.0
//
// openmp_run.cpp - see openmp_run.h. OCB_TEST_LIBOMP_FOLDER, OCB_TEST_LIBRARY_FOLDER and
// OCB_TEST_PRELOAD_FIRST (a sanitizer's runtime, or empty) come from CMake.
#include "openmp_run.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>

namespace ocb_test {

namespace {

std::string folder_of(const Runtime &runtime) {
    if (runtime.folder != nullptr) {
        return runtime.folder;
    }
    return std::string(OCB_TEST_LIBOMP_FOLDER) + "/" + std::to_string(runtime.libomp) + "/lib";
}

bool is_libgomp(const Runtime &runtime) {
    return runtime.libomp == kLibgomp.libomp && runtime.folder == nullptr;
}

// Another build's libraries may be tested: tests/checks/clang.sh.
std::string library_folder() {
    const char *other = std::getenv("OCB_TEST_LIBRARIES");
    return other != nullptr ? other : OCB_TEST_LIBRARY_FOLDER;
}

bool is_libomp(const std::string &path) {
    return std::filesystem::path(path).filename().string().rfind("libomp", 0) == 0;
}

} // namespace

std::string name_of(Compiler compiler) {
    return compiler == Compiler::kClang ? "clang" : "gcc";
}

std::string name_of(const Runtime &runtime) {
    if (runtime.name != nullptr) {
        return runtime.name;
    }
    return "libomp" + std::to_string(runtime.libomp) + "_" + name_of(runtime.compiler);
}

void PrintTo(const Runtime &runtime, std::ostream *out) {
    *out << name_of(runtime);
}

std::map<std::string, std::string> environment_for(const Runtime &runtime, const Options &options) {
    std::map<std::string, std::string> environment = options.environment;
    environment.emplace("OMP_NUM_THREADS", "2");
    std::string path = library_folder();
    std::string preload = OCB_TEST_PRELOAD_FIRST;
    const auto add = [&preload](const std::string &library) {
        preload.append(preload.empty() ? "" : " ").append(library);
    };
    if (options.has_front) {
        add(kFront);
    }
    if (!options.without_libomp) {
        if (is_libgomp(runtime)) {
            add(kLibgompOmpt);
            environment.emplace("OCB_FRONT", options.has_front ? "on" : "off"); // its marks
        } else {
            path = folder_of(runtime) + ":" + path;
        }
        if (runtime.compiler == Compiler::kGcc && !is_libgomp(runtime)) {
            add(kLibomp);
        }
    }
    for (const std::string &library : options.preload) {
        add(library);
    }
    environment.emplace("LD_LIBRARY_PATH", path);
    environment.emplace("LD_PRELOAD", preload);
    // Runtimes keep memory until the end of the process; that is not what is tested here.
    environment.emplace("ASAN_OPTIONS", "detect_leaks=0");
    return environment;
}

ProgramRun run_program(const std::string &folder, const std::string &program,
                       const Runtime &runtime, const Options &options) {
    const TemporaryFolder temporary;
    const std::string log = temporary.file("log");
    Command command;
    command.arguments = {folder + "/" + name_of(runtime.compiler) + "/" + program};
    command.arguments.insert(command.arguments.end(), options.arguments.begin(),
                             options.arguments.end());
    command.environment = environment_for(runtime, options);
    command.environment.emplace("OCB_TEST_LOG", log);
    command.time_limit_s = options.time_limit_s;
    ProgramRun run;
    run.outcome = ocb_test::run(command);
    run.log = read_log(log);
    return run;
}

std::string verify_runtime(const ProgramRun &run, const Runtime &runtime) {
    if (is_libgomp(runtime)) {
        return std::none_of(run.log.libraries.begin(), run.log.libraries.end(), is_libomp)
                   ? ""
                   : "libomp is loaded where libgomp should be alone";
    }
    const std::string file = folder_of(runtime) + "/" + kLibomp;
    if (!std::filesystem::exists(file)) {
        return file + " is missing; tests/run.sh fetches it";
    }
    const std::string wanted = std::filesystem::canonical(file).string();
    std::vector<std::string> loaded;
    std::copy_if(run.log.libraries.begin(), run.log.libraries.end(), std::back_inserter(loaded),
                 is_libomp);
    if (loaded.size() == 1 && loaded[0] == wanted) {
        return "";
    }
    return wanted + " is not the one that was loaded, but " + (loaded.empty() ? "none" : loaded[0]);
}

} // namespace ocb_test
