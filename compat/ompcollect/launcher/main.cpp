// SPDX-License-Identifier: Apache-2.0
//
// ompcollect: sets up bridge and collector around a program, runs it, prints the profile.
#include "bridge_info.h"
#include "child_process.h"
#include "command.h"
#include "environment.h"
#include "failure.h"
#include "job_reports.h"
#include "library_search.h"
#include "mpi_merge.h"
#include "nothing_profiled.h"
#include "omp_collector_bridge.h"
#include "options.h"
#include "people.h"
#include "preload_check.h"
#include "preload_plan.h"
#include "private_directory.h"
#include "program_file.h"
#include "run_place.h"
#include "runtime_probe.h"
#include "scale_command.h"
#include "wrapped_command.h"

#include <build_facts.h> // made by build_facts.cmake
#include <cstdlib>
#include <gnu/libc-version.h>
#include <optional>
#include <unistd.h>

namespace ompcollect {
namespace {

constexpr char kBridge[] = OMP_COLLECTOR_BRIDGE_SONAME;
constexpr char kFront[] = "libomp-collector-front.so";
constexpr char kOldNames[] = "omp-collector-names"; // a folder
constexpr char kDefaultCollector[] = "libompcollect-default.so";

std::string set_before() {
    const char *value = getenv("LD_PRELOAD");
    return value ? value : "";
}

void say(const Options &options, const std::string &line) {
    if (options.verbose) {
        report::complain(line);
    }
}

// Old collectors open libopenmp.so or libTAU-gomp.so by name: a folder with these alone comes last.
void add_old_names(Variables &variables) {
    const std::string names = own_library_if_there(kOldNames);
    if (names.empty() || names.find_first_of(":;$") != std::string::npos) {
        return;
    }
    const char *before = getenv("LD_LIBRARY_PATH");
    const std::string first = before && *before ? before + std::string(":") : std::string();
    variables.emplace_back("LD_LIBRARY_PATH", first + names);
}

// Everything but LD_PRELOAD.
Variables collector_variables(const Options &options, const std::string &profile_directory) {
    Variables variables;
    if (!options.front) {
        variables.emplace_back("OCB_FRONT", "off");
    }
    if (!options.collector.empty()) {
        add_old_names(variables);
        return variables;
    }
    const Variables for_collector = {{"OMPCOLLECT_BRIDGE", own_library(kBridge)},
                                     {"OMPCOLLECT_COLLECTOR", own_library(kDefaultCollector)},
                                     {"OMPCOLLECT_RATE", std::to_string(options.rate)},
                                     {"OMPCOLLECT_CLOCK", options.clock},
                                     {"OMPCOLLECT_STACKS", options.stacks},
                                     {"OMPCOLLECT_SIGNAL", std::to_string(options.signal)}};
    variables.insert(variables.end(), for_collector.begin(), for_collector.end());
    if (options.native) {
        variables.emplace_back("OMPCOLLECT_NATIVE", "1");
    }
    if (!profile_directory.empty()) {
        variables.emplace_back("OMPCOLLECT_PROFILE_DIR", profile_directory);
    }
    return variables;
}

// One command of a shell.
void print_dry_run(const Options &options, const std::string &preload) {
    std::string text = "LD_PRELOAD=" + shell_quoted(preload) + " \\\n";
    for (const auto &[name, value] : collector_variables(options, {})) {
        text += name + "=" + shell_quoted(value) + " \\\n";
    }
    for (size_t i = 0; i < options.command.size(); ++i) {
        text += (i ? " " : "") + shell_quoted(options.command[i]);
    }
    report::tell(STDOUT_FILENO, text + "\n");
}

void say_plan(const Options &options, const PreloadPlan &plan) {
    for (const std::string &loss : plan.losses) {
        report::complain(loss);
    }
    for (const std::string &reason : plan.reasons) {
        say(options, reason);
    }
}

int dry_run(const Options &options, const PreloadPlan &plan) {
    for (const std::string &library : plan.libraries) {
        if (unfit_for_preload(library)) {
            report::complain("ld.so does not take " + library +
                             " in LD_PRELOAD; a real run uses a link to it");
        }
    }
    print_dry_run(options, preload_value(set_before(), plan.libraries, {}));
    return 0;
}

// For the handler of signals that come while the profile is printed.
const PrivateDirectory *directory_to_remove = nullptr;
void remove_directory() {
    directory_to_remove->remove_at_once();
}

// A collector that ld.so cannot preload is passed over by it with a line; then nothing is measured.
void refuse_lost_collector(const Options &options, const std::string &preload,
                           const Variables &variables) {
    if (options.collector.empty()) {
        return;
    }
    const std::string complaint = preload_complaint(preload, variables);
    if (!complaint.empty()) {
        throw Failure(options.collector + " cannot be preloaded (" + complaint +
                      "); check what follows --collector");
    }
}

// What a program of another machine gets cannot be asked for here.
std::string program_for_this_machine(const Options &options) {
    std::string program = find_program(options.command.front());
    if (kind_of_file(program) == FileKind::kForeign) {
        throw Failure(program + kForeignProgram +
                          "; build the bridge for that machine, if it has 64 bits",
                      kExitLauncher);
    }
    return program;
}

// The line is true once the program has begun.
int run_without_profile(const Options &options, const std::string &program,
                        const std::string &line) {
    Meanwhile meanwhile;
    meanwhile.begun = [&line] { report::complain(line); };
    return end_like(run_child(program, options.command, {}, meanwhile));
}

// Why there is none; empty where there is one.
std::string make(std::optional<PrivateDirectory> &directory) {
    try {
        directory.emplace();
    } catch (const Failure &none) {
        return none.what();
    }
    return {};
}

// A collector of somebody else's is not heard of again: what keeps it from all events is said here.
void say_if_nothing_is_collected(const Options &options, const PreloadPlan &plan,
                                 const std::string &program) {
    const std::string why = why_nothing_is_collected(program, options.command);
    if (!why.empty()) {
        report::complain("the collector gets no events: " + why);
    } else if (plan.needs_no_runtime) {
        report::complain(program + " needs no OpenMP runtime by itself, so the collector gets "
                                   "events only if the program opens a library that does");
    }
}

int run(const Options &options) {
    const std::string program = find_program(options.command.front());
    if (kind_of_file(program) == FileKind::kForeign && !options.dry_run) {
        // Its dynamic linker passes over all that is preloaded.
        return run_without_profile(options, program,
                                   program + kForeignProgram +
                                       ", so it runs without a profile; build the bridge for that "
                                       "machine, if it has 64 bits");
    }
    const PreloadPlan plan = plan_preload(options, program);
    say_plan(options, plan);
    if (options.dry_run) {
        return dry_run(options, plan);
    }
    const bool prints = options.collector.empty();
    ChildResult result;
    {
        std::optional<PrivateDirectory> directory;
        if (const std::string why_none = make(directory); !directory) {
            return run_without_profile(options, program,
                                       program + " runs without a profile: " + why_none);
        }
        RunPlace place(prints ? options.output : std::string(),
                       contents_of(program, options.command).starts_ranks);
        const std::string profiles =
            place.live_folder().empty() ? directory->path() : place.live_folder();
        JobReports reports(options, plan, program, profiles, place);
        Variables variables = collector_variables(options, profiles);
        const std::string preload = preload_value(set_before(), plan.libraries, directory->path());
        refuse_lost_collector(options, preload, variables);
        variables.emplace_back("LD_PRELOAD", preload);
        for (const auto &[name, value] : variables) {
            say(options, name + "=" + shell_quoted(value));
        }
        Meanwhile meanwhile;
        if (prints) {
            meanwhile.begun = [&reports] { reports.prepare(); };
            meanwhile.report = [&reports] { reports.begin_print_so_far(); };
            meanwhile.interval = options.interval;
        } else {
            meanwhile.begun = [&] { say_if_nothing_is_collected(options, plan, program); };
        }
        result = run_child(program, options.command, variables, meanwhile);
        directory_to_remove = &*directory;
        end_on_signals(remove_directory);
        if (prints) {
            reports.print_all(result);
        }
    }
    return end_like(result);
}

// Begins this launcher again, with what the program would have preloaded, and lets it report.
int print_capabilities(const Options &options) {
    const std::string program =
        options.command.empty() ? std::string() : program_for_this_machine(options);
    if (!program.empty() && contains_runtime(program)) {
        throw Failure(program +
                      " has its OpenMP runtime linked into itself, where it cannot be asked; "
                      "link it with the runtime's shared library");
    }
    PreloadPlan plan = plan_preload(options, program);
    say_plan(options, plan);
    std::vector<std::string> libraries = {own_library(kBridge)};
    if (plan.serves_libgomp) {
        libraries.push_back(own_library(kFront));
    }
    // What the program would find by itself the probe must be given.
    const std::string runtime = plan.runtime.empty() ? plan.runtime_of_program : plan.runtime;
    if (!runtime.empty()) {
        libraries.push_back(runtime);
    }
    const PrivateDirectory directory;
    const std::string preload = preload_value(set_before(), libraries, directory.path());
    return end_like(run_child(
        own_file(), {"ompcollect", "--probe-runtime", plan.built_by_gcc ? "gcc" : "clang"},
        {{"LD_PRELOAD", preload}}));
}

std::string bridge_version() {
    try {
        return "bridge " + BridgeInfo(own_library(kBridge)).version();
    } catch (const Failure &failure) {
        return failure.what();
    }
}

std::string version_text() {
    return "ompcollect " OMPCOLLECT_VERSION " (" + bridge_version() +
           ")\n"
           "  built from    " OMPCOLLECT_BUILT_FROM "\n"
           "  compiler      " OMPCOLLECT_COMPILER "\n"
           "  machine       " OMPCOLLECT_MACHINE ", programs of the same alone\n"
           "  C library     glibc " +
           std::string(gnu_get_libc_version()) +
           "\n"
           "  OMPT          OpenMP 5.0 to 5.2, TR6, TR2; 5.1 for GNU libgomp\n"
           "  merges under  " +
           report::mpis_built_for() + "\n";
}

std::string help_text(const Options &options) {
    try {
        return options.help + "\n" + options_text(BridgeInfo(own_library(kBridge)).options());
    } catch (const Failure &failure) {
        return options.help + "\nEnvironment of the bridge: not known, " + failure.what() + "\n";
    }
}

int print(const std::string &text) {
    report::tell(STDOUT_FILENO, text);
    return 0;
}

int act(const Options &options) {
    switch (options.action) {
    case Action::kHelp:
        return print(help_text(options));
    case Action::kVersion:
        return print(version_text());
    case Action::kCapabilities:
        return print_capabilities(options);
    case Action::kProbe:
        return print(probe_runtime(options.probe == "gcc"));
    case Action::kRun:
        return run(options);
    case Action::kCompletion:
        return print(completion_text(options.shell));
    case Action::kManual:
        return print(manual_text(OMPCOLLECT_VERSION));
    }
    return kExitLauncher;
}

// "run" is what is done without a subcommand, "capabilities" the option of that name. A program
// that is called like a subcommand is run by its path, or after "--" or "run".
int act_on(std::vector<const char *> words) {
    if (words.size() > 1 && report::is_report_command(words[1])) {
        return report::report_command({words.begin() + 1, words.end()}, read_raw_profiles);
    }
    if (words.size() > 1 && std::string_view(words[1]) == "scale") {
        return report::scale_command({words.begin() + 2, words.end()}, own_file(),
                                     read_raw_profiles);
    }
    if (words.size() > 1 && std::string_view(words[1]) == "run") {
        words.erase(words.begin() + 1);
    } else if (words.size() > 1 && std::string_view(words[1]) == "capabilities") {
        words[1] = "--capabilities";
    }
    return act(parse_options(static_cast<int>(words.size()), words.data()));
}

} // namespace
} // namespace ompcollect

int main(int argc, char **argv) {
    ompcollect::fill_standard_descriptors();
    try {
        return ompcollect::act_on({argv, argv + argc});
    } catch (const ompcollect::Failure &failure) {
        ompcollect::report::complain(failure.what());
        return failure.exit_code();
    } catch (const std::exception &error) {
        ompcollect::report::complain(std::string("unexpected: ") + error.what());
        return ompcollect::kExitLauncher;
    }
}
