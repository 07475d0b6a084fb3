// SPDX-License-Identifier: Apache-2.0
#include "preload_plan.h"

#include "elf_file.h"
#include "failure.h"
#include "library_search.h"
#include "needed_libraries.h"
#include "omp_collector_bridge.h"
#include "program_file.h"
#include "wrapped_command.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace ompcollect {
namespace {

constexpr char kBridge[] = OMP_COLLECTOR_BRIDGE_SONAME;
constexpr char kPreload[] = "libompcollect-preload.so"; // loads bridge and default collector
constexpr char kPlacement[] = "libompcollect-placement.so";
constexpr char kFront[] = "libomp-collector-front.so"; // marks, and OMPT for libgomp

// A library given by the user: a file, or a bare name that ld.so is to look for.
std::string given_library(const std::string &name, const char *option) {
    std::error_code ignored;
    if (!std::filesystem::exists(name, ignored)) {
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

// Of C and C++ themselves; every object is behind these.
bool is_of_the_language(const std::string &name) {
    constexpr const char *kNames[] = {"libc.",  "libm.", "libdl.",    "libpthread.",
                                      "librt.", "ld-",   "libgcc_s.", "libstdc++."};
    return std::any_of(std::begin(kNames), std::end(kNames),
                       [&](const char *one) { return name.starts_with(one); });
}

// A collector and its own libraries. Those would come behind the program's libraries, as what is
// needed by what is preloaded does, and would end behind the runtime, which they may still call.
void add_collector(const std::string &collector, std::vector<std::string> &libraries) {
    libraries.push_back(collector);
    for (const NeededLibrary &own : needed_libraries(collector)) {
        const std::string name = std::filesystem::path(own.name).filename();
        const bool is_there =
            std::find(libraries.begin(), libraries.end(), own.path) != libraries.end();
        if (!own.path.empty() && !is_there && !is_of_the_language(name) &&
            !is_openmp_runtime(name)) {
            libraries.push_back(own.path);
        }
    }
}

// Which OpenMP runtime gcc-built programs get.
enum class Choice {
    kAuto,    // their own where the front is there, libomp otherwise
    kLibgomp, // their own
    kLibomp,  // libomp, whichever is found
    kFile,    // the one that the user named
};

Choice choice_of(const std::string &runtime) {
    if (runtime.empty()) {
        return Choice::kAuto;
    }
    return runtime == "libgomp"  ? Choice::kLibgomp
           : runtime == "libomp" ? Choice::kLibomp
                                 : Choice::kFile;
}

// Facts of all programs that the command names.
struct Needs {
    std::vector<std::string> on_libgomp; // programs that need libgomp
    std::string libomp_path;
    std::string libgomp_path;
    std::string needs_missing_libomp; // a program that needs libomp and does not find it
    std::string libasan_path;
    bool runs_unknown = false;
};

Needs needs_of(const std::string &program, const std::vector<std::string> &command) {
    Needs sum;
    if (program.empty()) {
        return sum;
    }
    const CommandContents contents = contents_of(program, command);
    sum.runs_unknown = contents.runs_unknown;
    for (const std::string &file : contents.programs) {
        const RuntimeNeeds needs = runtime_needs(file);
        if (needs.libgomp) {
            sum.on_libgomp.push_back(file);
            sum.libgomp_path = needs.libgomp_path;
        }
        if (!needs.libomp_path.empty()) {
            sum.libomp_path = needs.libomp_path;
        } else if (needs.libomp) {
            sum.needs_missing_libomp = file;
        }
        if (!needs.libasan_path.empty()) {
            sum.libasan_path = needs.libasan_path;
        }
    }
    return sum;
}

std::string libomp_or_failure(const std::string &for_program) {
    std::string libomp = find_libomp(usual_libomp_places());
    if (libomp.empty()) {
        throw Failure(libomp_missing_message(for_program));
    }
    return libomp;
}

// A program on two runtimes at once computes something else: entries that libomp lacks would stay
// with libgomp.
void refuse_if_entries_are_missing(const std::string &runtime, const Needs &needs) {
    for (const std::string &program : needs.on_libgomp) {
        const std::vector<std::string> missing = entries_missing_in(runtime, program);
        if (missing.empty()) {
            continue;
        }
        std::string names;
        for (size_t i = 0; i < missing.size() && i < 4; ++i) {
            names += (i ? ", " : "") + missing[i];
        }
        if (missing.size() > 4) {
            names += " and " + std::to_string(missing.size() - 4) + " more";
        }
        std::string message = program;
        message.append(" uses entries of libgomp that ").append(runtime).append(" lacks (");
        message.append(names).append(
            "), so on it the program would compute something else; name a newer libomp with "
            "--runtime PATH, or stay on libgomp with --runtime libgomp");
        throw Failure(message);
    }
}

// The one place where it is decided which OpenMP runtime is preloaded; empty: none.
std::string runtime_to_preload(const Options &options, const std::string &program,
                               const Needs &needs, bool has_front,
                               std::vector<std::string> &reasons) {
    const Choice choice = choice_of(options.runtime);
    if (choice == Choice::kFile) {
        reasons.push_back("preloading " + options.runtime + ", as told");
        return given_library(options.runtime, "--runtime");
    }
    if (!needs.needs_missing_libomp.empty()) {
        std::string libomp = libomp_or_failure(needs.needs_missing_libomp);
        reasons.push_back(needs.needs_missing_libomp +
                          " needs libomp, which is not in its search path: preloading " + libomp);
        return libomp;
    }
    const bool own_runtime =
        choice == Choice::kLibgomp || (choice == Choice::kAuto && has_front && !program.empty());
    if (own_runtime) {
        reasons.push_back(has_front ? "programs built by gcc stay on libgomp, with " +
                                          std::string(kFront) + " in front"
                                    : "programs built by gcc stay on libgomp, as told");
        return {};
    }
    if (!needs.on_libgomp.empty()) {
        std::string libomp =
            !needs.libomp_path.empty() ? needs.libomp_path : libomp_or_failure(needs.on_libgomp[0]);
        reasons.push_back(needs.on_libgomp[0] + " needs libgomp: preloading " + libomp +
                          " in its place");
        return libomp;
    }
    if (program.empty() || needs.runs_unknown || choice == Choice::kLibomp) {
        std::string libomp = find_libomp(usual_libomp_places());
        if (!program.empty()) {
            reasons.push_back("what " + program + " will run or load is not known: preloading " +
                              (libomp.empty() ? "no libomp, as there is none" : libomp));
        }
        return libomp;
    }
    reasons.push_back(needs.libomp_path.empty()
                          ? program + " needs no OpenMP runtime by itself; a plugin may bring one"
                          : program + " needs libomp: " + needs.libomp_path);
    return {};
}

// Without the front the program runs and is measured, but not as promised: one line says so.
void say_fronts_loss(const Options &options, const Needs &needs, bool stays_on_libgomp,
                     std::vector<std::string> &losses) {
    std::string loss;
    if (options.front) {
        loss = "the runtime's own time inside regions counts as WORK";
    }
    // A program that is known to be built by clang loses nothing more.
    if (stays_on_libgomp && (!needs.on_libgomp.empty() || needs.runs_unknown)) {
        loss += std::string(loss.empty() ? "" : ", and ") +
                "programs built by gcc can be measured on libomp alone, not on their own libgomp";
    }
    if (!loss.empty()) {
        losses.push_back(library_missing_message(kFront, loss));
    }
}

} // namespace

PreloadPlan plan_preload(const Options &options, const std::string &program) {
    PreloadPlan plan;
    const Needs needs = needs_of(program, options.command);
    const std::string front = own_library_if_there(kFront);
    const bool stays_on_libgomp = choice_of(options.runtime) == Choice::kAuto ||
                                  choice_of(options.runtime) == Choice::kLibgomp;
    plan.built_by_gcc = !needs.on_libgomp.empty();
    plan.needs_no_runtime = needs.on_libgomp.empty() && needs.libomp_path.empty() &&
                            needs.needs_missing_libomp.empty() && !needs.runs_unknown &&
                            !program.empty() && !contains_runtime(program);
    plan.runtime_of_program = needs.libomp_path.empty() ? needs.libgomp_path : needs.libomp_path;
    plan.runtime = runtime_to_preload(options, program, needs, stays_on_libgomp && !front.empty(),
                                      plan.reasons);
    if (!plan.runtime.empty()) {
        refuse_if_entries_are_missing(plan.runtime, needs);
    }

    // AddressSanitizer's runtime wants to be the first library.
    if (!needs.libasan_path.empty()) {
        plan.libraries.push_back(needs.libasan_path);
        plan.reasons.push_back("the program needs " + needs.libasan_path +
                               ", which must come first");
    }
    plan.serves_libgomp = stays_on_libgomp && plan.runtime.empty() && !front.empty();
    plan.marks_calls = options.front && !front.empty();
    if (plan.serves_libgomp || plan.marks_calls) {
        plan.libraries.push_back(front);
    }
    if (front.empty()) {
        say_fronts_loss(options, needs, stays_on_libgomp, plan.losses);
    }
    if (!options.front) {
        plan.reasons.emplace_back("calls of the OpenMP runtime are not marked, as told");
    }
    if (options.collector.empty()) {
        plan.libraries.push_back(own_library(kPreload));
    } else {
        plan.libraries.push_back(own_library(kBridge));
        add_collector(given_library(options.collector, "--collector"), plan.libraries);
    }
    if (!plan.runtime.empty()) {
        plan.libraries.push_back(own_library(kPlacement));
        plan.libraries.push_back(plan.runtime);
    }
    return plan;
}

} // namespace ompcollect
