// SPDX-License-Identifier: Apache-2.0
//
// openmp_run.cpp - see openmp_run.h. OCB_TEST_LIBOMP_FOLDER, OCB_TEST_LIBRARY_FOLDER and
// OCB_TEST_PRELOAD_FIRST (a sanitizer's runtime, or empty) come from CMake.
#include "openmp_run.h"

#include "other_machine.h"

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
    return on_machine(std::string(OCB_TEST_LIBOMP_FOLDER) + "/" + std::to_string(runtime.libomp) +
                      "/lib");
}

// Another build's libraries may be tested: tests/checks/builds/clang.sh.
std::string library_folder() {
    const char *other = std::getenv("OCB_TEST_LIBRARIES");
    return on_machine(other != nullptr ? other : OCB_TEST_LIBRARY_FOLDER);
}

std::string joined(const std::vector<std::string> &libraries) {
    std::string text;
    for (const std::string &library : libraries) {
        text.append(text.empty() ? "" : ":").append(library);
    }
    return text;
}

bool is_launched(const Runtime &runtime, const Options &options) {
    return runtime.way == Way::kLauncher && runtime.folder == nullptr && !options.preload &&
           !options.without_libomp;
}

// Our libraries and libomp by their names alone: LD_LIBRARY_PATH leads to them, to those of another
// build where that is tested.
std::string by_names(std::string preload, const Runtime &runtime) {
    for (const std::string &folder : {on_machine(OCB_TEST_LIBRARY_FOLDER), folder_of(runtime)}) {
        const std::string prefix = folder + "/";
        for (std::size_t at = 0; (at = preload.find(prefix, at)) != std::string::npos;) {
            preload.erase(at, prefix.size());
        }
    }
    return preload;
}

std::map<std::string, std::string> launched(const std::string &program, const Runtime &runtime,
                                            const Options &options, const std::string &path) {
    const bool needs_libomp = runtime.compiler == Compiler::kGcc && !is_libgomp(runtime);
    std::map<std::string, std::string> environment = launch_environment(
        {program, options.collector,
         needs_libomp ? folder_of(runtime) + "/" + kLibomp : std::string(), path});
    std::vector<std::string> libraries = options.preloaded_before;
    libraries.push_back(by_names(environment["LD_PRELOAD"], runtime));
    environment["LD_PRELOAD"] = joined(libraries);
    return environment;
}

std::vector<std::string> libraries_by_hand(const Runtime &runtime, const Options &options) {
    std::vector<std::string> libraries;
    const auto add = [&libraries](const std::string &library) {
        if (!library.empty()) {
            libraries.push_back(library);
        }
    };
    add(OCB_TEST_PRELOAD_FIRST);
    if (options.has_front) {
        add(kFront);
    }
    if (!options.without_libomp && is_libgomp(runtime)) {
        add(kLibgompOmpt);
    } else if (!options.without_libomp && runtime.compiler == Compiler::kGcc) {
        add(kLibomp);
    }
    std::vector<std::string> ours = options.preloaded_before;
    ours.insert(ours.end(), {kBridge, options.collector});
    for (const std::string &library : options.preload.value_or(ours)) {
        add(library);
    }
    return libraries;
}

bool is_libomp(const std::string &path) {
    return std::filesystem::path(path).filename().string().rfind("libomp", 0) == 0;
}

} // namespace

bool is_libgomp(const Runtime &runtime) {
    return runtime.libomp == kLibgomp.libomp && runtime.folder == nullptr;
}

Runtime bare(Runtime runtime) {
    runtime.way = Way::kBare;
    return runtime;
}

std::vector<Runtime> libomp_runtimes() {
    std::vector<Runtime> runtimes;
    std::copy_if(std::begin(kOldAndNew), std::end(kOldAndNew), std::back_inserter(runtimes),
                 [](const Runtime &runtime) { return !is_libgomp(runtime); });
    return runtimes;
}

std::vector<Runtime> in_both_ways(const std::vector<Runtime> &runtimes) {
    std::vector<Runtime> both = runtimes;
    if (kDefaultWay != Way::kBare) {
        std::transform(runtimes.begin(), runtimes.end(), std::back_inserter(both), bare);
    }
    return both;
}

std::vector<Runtime> in_both_ways() {
    return in_both_ways({std::begin(kOldAndNew), std::end(kOldAndNew)});
}

std::string name_of(Compiler compiler) {
    return compiler == Compiler::kClang ? "clang" : "gcc";
}

std::string name_of(const Runtime &runtime) {
    if (runtime.name != nullptr) {
        return runtime.name;
    }
    const std::string name = is_libgomp(runtime) ? "libgomp"
                                                 : "libomp" + std::to_string(runtime.libomp) + "_" +
                                                       name_of(runtime.compiler);
    return name + (runtime.way == kDefaultWay ? "" : "_bare");
}

void PrintTo(const Runtime &runtime, std::ostream *out) {
    *out << name_of(runtime);
}

Options with_idle_collector(Options options) {
    options.environment["OCB_TEST_START"] = "program";
    return options;
}

std::map<std::string, std::string> environment_for(const std::string &program,
                                                   const Runtime &runtime, const Options &options) {
    std::map<std::string, std::string> environment = options.environment;
    environment.emplace("OMP_NUM_THREADS", "2");
    const bool has_libomp = !is_libgomp(runtime) && !options.without_libomp;
    const std::string path = (has_libomp ? folder_of(runtime) + ":" : "") + library_folder();
    environment.emplace("LD_LIBRARY_PATH", path);
    // For programs that know what is true of each.
    environment.emplace("OCB_TEST_RUNTIME", is_libgomp(runtime) ? "libgomp" : "libomp");
    environment.emplace("OCB_TEST_WAY", is_launched(runtime, options) ? "launcher" : "bare");
    if (is_launched(runtime, options)) {
        for (const auto &[name, value] : launched(program, runtime, options, path)) {
            environment.emplace(name, value);
        }
    } else {
        environment.emplace("LD_PRELOAD", joined(libraries_by_hand(runtime, options)));
        if (is_libgomp(runtime) && !options.without_libomp) {
            environment.emplace("OCB_FRONT", options.has_front ? "on" : "off"); // its marks
        }
    }
    // Runtimes keep memory until the end of the process; that is not what is tested here.
    environment.emplace("ASAN_OPTIONS", "detect_leaks=0");
    return environment;
}

ProgramRun run_program(const std::string &folder, const std::string &program,
                       const Runtime &runtime, const Options &options) {
    const TemporaryFolder temporary;
    const std::string log = temporary.file("log");
    Command command;
    const std::string file = on_machine(folder + "/" + name_of(runtime.compiler) + "/" + program);
    command.arguments = command_of(file);
    command.arguments.insert(command.arguments.end(), options.arguments.begin(),
                             options.arguments.end());
    command.environment = environment_for(file, runtime, options);
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
