// SPDX-License-Identifier: Apache-2.0
//
// ompt-compliance: which rules of OMPT does an OpenMP runtime keep? The driver begins itself again
// for each check.
#include "check_list.h"
#include "collector_answers.h"
#include "failure.h"
#include "libgomp.h"
#include "library_search.h"
#include "options.h"
#include "report.h"
#include "runner.h"
#include "verdict.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/resource.h>

namespace compliance {
namespace {

constexpr int kExitDifferent = 1;
constexpr int kExitFailed = 2;

std::string runtime_path(const Options &options) {
    if (options.runtime.empty()) {
        std::string found = ompcollect::find_libomp(ompcollect::usual_libomp_places());
        if (found.empty()) {
            throw ompcollect::Failure("this system has no libomp; name a runtime with --runtime");
        }
        return found;
    }
    if (options.runtime == kLibgomp) {
        return kLibgomp;
    }
    if (!std::filesystem::exists(options.runtime)) {
        throw ompcollect::Failure(options.runtime + ": no such file; check what follows --runtime");
    }
    // dlopen looks for a name without a slash elsewhere.
    return std::filesystem::absolute(options.runtime);
}

std::string contents(const std::string &path) {
    std::ifstream file(path);
    if (!file) {
        throw ompcollect::Failure(path + ": cannot be read; check what follows --compare");
    }
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

int run_one_check(const Options &options) {
    // A crash is told by the exit status; nobody needs its core.
    const rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    void *module = dlopen(ompcollect::own_library("ompt-compliance-checks.so").c_str(),
                          RTLD_NOW | RTLD_GLOBAL);
    void *function = module != nullptr ? dlsym(module, COMPLIANCE_RUN_SYMBOL) : nullptr;
    if (function == nullptr) {
        throw ompcollect::Failure(dlerror());
    }
    const bool is_gcc = options.runtime == kLibgomp || options.compiler == "gcc";
    return reinterpret_cast<RunCheck>(function)(
        options.check.c_str(), library_of(options.runtime).c_str(),
        ompcollect::own_library(is_gcc ? "ompt-compliance-workload-gcc.so"
                                       : "ompt-compliance-workload.so")
            .c_str());
}

int exit_code_of(const std::vector<Result> &results) {
    int code = 0;
    for (const Result &result : results) {
        if (result.status == Status::kSuiteFailed) {
            return kExitFailed;
        }
        code = std::max(code, exit_code(result.status));
    }
    return code;
}

int run(Options options) {
    options.runtime = runtime_path(options);
    const std::string expected = options.compare.empty() ? "" : contents(options.compare);
    std::vector<CheckName> checks;
    for (const CheckName &check : check_names()) {
        if (options.only.empty() ||
            std::find(options.only.begin(), options.only.end(), check.name) != options.only.end()) {
            checks.push_back(check);
        }
    }
    Report report;
    report.runtime = options.runtime;
    const auto begin = std::chrono::steady_clock::now();
    report.results = run_checks(checks, options);
    if (options.only.empty() && !options.brief && options.compare.empty()) {
        report.answers = collector_answers(options, report.results, report.no_answers);
    }
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!options.compare.empty()) {
        const std::string text = differences(report, expected);
        std::cout << text;
        return text.empty() ? 0 : kExitDifferent;
    }
    std::cout << (options.json ? json(report) : options.brief ? brief(report) : table(report));
    return exit_code_of(report.results);
}

int act(const Options &options) {
    switch (options.action) {
    case Action::kHelp:
        std::cout << options.help;
        return 0;
    case Action::kVersion:
        std::cout << "ompt-compliance " COMPLIANCE_VERSION "\n";
        return 0;
    case Action::kList:
        for (const CheckName &check : check_names()) {
            std::string name = check.name;
            name.resize(26, ' ');
            std::cout << name << check.title << '\n';
        }
        return 0;
    case Action::kRun:
        return run(options);
    case Action::kOneCheck:
        return run_one_check(options);
    case Action::kCollectorAnswers:
        return print_bridge_rows(options.runtime);
    }
    return kExitFailed;
}

} // namespace
} // namespace compliance

int main(int argc, char **argv) {
    using namespace compliance;
    Options options;
    try {
        options = parse_options(argc, argv);
        return act(options);
    } catch (const std::exception &error) {
        std::cerr << "ompt-compliance: " << error.what() << '\n';
    }
    return options.action == Action::kOneCheck ? kSuiteFailed : kExitFailed;
}
