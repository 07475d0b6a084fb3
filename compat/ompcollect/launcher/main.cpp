// SPDX-License-Identifier: Apache-2.0
//
// ompcollect: sets up bridge and collector around a program, runs it, prints the profile.
#include "bridge_info.h"
#include "child_process.h"
#include "environment.h"
#include "failure.h"
#include "library_search.h"
#include "options.h"
#include "private_directory.h"
#include "profile_printer.h"
#include "program_file.h"
#include "runtime_probe.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <memory>
#include <unistd.h>

namespace ompcollect {
namespace {

constexpr char kBridge[] = "libomp-collector-bridge.so";
constexpr char kDefaultCollector[] = "libompcollect-default.so";
constexpr char kPreload[] = "libompcollect-preload.so"; // loads the two when a runtime asks

void say(const Options &options, const std::string &line) {
    if (options.verbose) {
        std::cerr << "ompcollect: " << line << '\n';
    }
}

// A library given by the user: a file, or a bare name that ld.so is to look for.
std::string given_library(const std::string &name, const char *option) {
    if (!std::filesystem::exists(name)) {
        if (name.find('/') == std::string::npos) {
            return name;
        }
        throw Failure(name + ": no such file; check what follows " + option);
    }
    if (!is_loadable_library(name)) {
        throw Failure(name + " is not a shared library for this machine; check what follows " +
                      std::string(option));
    }
    return std::filesystem::absolute(name);
}

// The OpenMP runtime to preload, empty for none.
std::string runtime_to_preload(const Options &options, const std::string &program) {
    const ElfFacts facts = inspect_elf(program);
    if (facts.kind == FileKind::kStatic) {
        throw Failure(program + " is statically linked, so nothing can be preloaded into it; link "
                                "it dynamically, or link the bridge into it");
    }
    if (facts.kind == FileKind::kForeign) {
        throw Failure(program + " is a program for another machine or word size than the bridge; "
                                "build the bridge for it");
    }
    if (!options.libomp.empty()) {
        say(options, "preloading " + options.libomp + ", as told");
        return given_library(options.libomp, "--libomp");
    }
    if (facts.kind == FileKind::kScript) {
        std::string libomp = find_libomp(usual_libomp_places());
        say(options, program + " is a script: what it runs is not known, preloading " +
                         (libomp.empty() ? "no libomp, as there is none" : libomp));
        return libomp;
    }
    const RuntimeNeeds needs = runtime_needs(facts.interpreter, program);
    if (needs.libgomp) {
        std::string libomp =
            needs.libomp_path.empty() ? find_libomp(usual_libomp_places()) : needs.libomp_path;
        if (libomp.empty()) {
            throw Failure(libomp_missing_message(program));
        }
        say(options, program + " needs libgomp: preloading " + libomp + " in its place");
        return libomp;
    }
    if (needs.libomp && needs.libomp_path.empty()) {
        std::string libomp = find_libomp(usual_libomp_places());
        if (libomp.empty()) {
            throw Failure(libomp_missing_message(program));
        }
        say(options,
            program + " needs libomp, which is not in its search path: preloading " + libomp);
        return libomp;
    }
    say(options, needs.libomp ? program + " needs libomp: " + needs.libomp_path
                              : program + " needs no OpenMP runtime; a plugin may bring one "
                                          "(preload one with --libomp if it is libgomp)");
    return {};
}

// Everything but LD_PRELOAD.
Variables collector_variables(const Options &options, const std::string &profile_directory) {
    if (!options.collector.empty()) {
        return {};
    }
    Variables variables = {{"OMPCOLLECT_BRIDGE", own_library(kBridge)},
                           {"OMPCOLLECT_COLLECTOR", own_library(kDefaultCollector)},
                           {"OMPCOLLECT_RATE", std::to_string(options.rate)},
                           {"OMPCOLLECT_CLOCK", options.clock}};
    if (!profile_directory.empty()) {
        variables.emplace_back("OMPCOLLECT_PROFILE_DIR", profile_directory);
    }
    return variables;
}

void print_dry_run(const Options &options, const std::string &preload) {
    std::cout << "LD_PRELOAD=" << shell_quoted(preload) << '\n';
    for (const auto &[name, value] : collector_variables(options, {})) {
        std::cout << name << '=' << shell_quoted(value) << '\n';
    }
    for (size_t i = 0; i < options.command.size(); ++i) {
        std::cout << (i ? " " : "") << shell_quoted(options.command[i]);
    }
    std::cout << '\n';
}

// Opened before the program runs, so that a wrong path costs nothing.
int open_output(const Options &options) {
    if (options.output.empty() || options.dry_run) {
        return STDERR_FILENO;
    }
    const int fd = open(options.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        throw Failure(options.output + ": " + strerror(errno) + "; check what follows --output");
    }
    return fd;
}

int run(const Options &options) {
    const std::string program = find_program(options.command.front());
    std::vector<std::string> libraries;
    if (options.collector.empty()) {
        libraries = {own_library(kPreload)};
    } else {
        libraries = {own_library(kBridge), given_library(options.collector, "--collector")};
    }
    const std::string runtime = runtime_to_preload(options, program);
    if (!runtime.empty()) {
        libraries.push_back(runtime);
    }
    const char *already_set = getenv("LD_PRELOAD");
    const std::string before = already_set ? already_set : "";
    if (options.dry_run) {
        for (const std::string &library : libraries) {
            if (unfit_for_preload(library)) {
                std::cerr << "ompcollect: ld.so does not take " << library
                          << " in LD_PRELOAD; a real run uses a link to it\n";
            }
        }
        print_dry_run(options, preload_value(before, libraries, {}));
        return 0;
    }
    const int output = open_output(options);
    ChildResult result;
    {
        const PrivateDirectory directory;
        Variables variables = collector_variables(options, directory.path());
        variables.emplace_back("LD_PRELOAD", preload_value(before, libraries, directory.path()));
        for (const auto &[name, value] : variables) {
            say(options, name + "=" + shell_quoted(value));
        }
        result = run_child(program, options.command, variables);
        if (options.collector.empty()) {
            print_profiles(directory.path(), result, output);
        }
    }
    return end_like(result);
}

// Begins this launcher again, with what the program would have preloaded, and lets it report.
int print_capabilities(const Options &options) {
    std::vector<std::string> libraries = {own_library(kBridge)};
    bool built_by_gcc = false;
    std::string runtime;
    if (options.command.empty()) {
        runtime = options.libomp.empty() ? find_libomp(usual_libomp_places())
                                         : given_library(options.libomp, "--libomp");
    } else {
        const std::string program = find_program(options.command.front());
        runtime = runtime_to_preload(options, program);
        const ElfFacts facts = inspect_elf(program);
        if (facts.kind == FileKind::kDynamic) {
            const RuntimeNeeds needs = runtime_needs(facts.interpreter, program);
            built_by_gcc = needs.libgomp;
            // What the program would find by itself the probe must be given.
            if (runtime.empty()) {
                runtime = needs.libomp_path;
            }
        }
    }
    if (!runtime.empty()) {
        libraries.push_back(runtime);
    }
    const char *already_set = getenv("LD_PRELOAD");
    const PrivateDirectory directory;
    const std::string preload =
        preload_value(already_set ? already_set : "", libraries, directory.path());
    return end_like(run_child(std::filesystem::read_symlink("/proc/self/exe"),
                              {"ompcollect", "--probe-runtime", built_by_gcc ? "gcc" : "clang"},
                              {{"LD_PRELOAD", preload}}));
}

std::string version_text() {
    try {
        return "ompcollect " OMPCOLLECT_VERSION " (bridge " +
               BridgeInfo(own_library(kBridge)).version() + ")\n";
    } catch (const Failure &failure) {
        return std::string("ompcollect " OMPCOLLECT_VERSION " (") + failure.what() + ")\n";
    }
}

int act(const Options &options) {
    switch (options.action) {
    case Action::kHelp:
        std::cout << options.help << '\n';
        try {
            std::cout << options_text(BridgeInfo(own_library(kBridge)).options());
        } catch (const Failure &failure) {
            std::cout << "Environment of the bridge: not known, " << failure.what() << '\n';
        }
        return 0;
    case Action::kVersion:
        std::cout << version_text();
        return 0;
    case Action::kCapabilities:
        return print_capabilities(options);
    case Action::kProbe:
        std::cout << probe_runtime(options.probe == "gcc");
        return 0;
    case Action::kRun:
        return run(options);
    }
    return kExitLauncher;
}

} // namespace
} // namespace ompcollect

int main(int argc, char **argv) {
    try {
        return ompcollect::act(ompcollect::parse_options(argc, argv));
    } catch (const ompcollect::Failure &failure) {
        std::cerr << "ompcollect: " << failure.what() << '\n';
        return failure.exit_code();
    } catch (const std::exception &error) {
        std::cerr << "ompcollect: unexpected: " << error.what() << '\n';
        return ompcollect::kExitLauncher;
    }
}
