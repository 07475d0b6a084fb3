// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include "check_list.h"
#include "failure.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace compliance {
namespace {

constexpr char kFooter[] =
    "Exit code: 0 if every check is correct, 255 if one is implemented but incorrect (a crash and\n"
    "a hang count as that), else 254 if one is not implemented; what the runtime's generation of\n"
    "OMPT does not have does not count. 1: a difference to --compare, 2: the suite itself failed.";

void must_be_a_check(const std::string &name) {
    const auto checks = check_names();
    if (std::none_of(checks.begin(), checks.end(),
                     [&](const CheckName &check) { return name == check.name; })) {
        throw ompcollect::Failure("there is no check " + name +
                                  "; ompt-compliance --list names them");
    }
}

// What is asked for besides a run.
struct Asked {
    bool help = false;
    bool version = false;
    bool list = false;
    bool collector_answers = false;
};

void add_options(CLI::App &app, Options &options, Asked &asked) {
    app.add_option("--runtime", options.runtime,
                   "the runtime's library, or libgomp for GNU's with libgomp-ompt in front\n"
                   "of it; without it the libomp of this system")
        ->type_name("LIB");
    app.add_option("--compiler", options.compiler,
                   "run the programs as clang has built them, or gcc; libgomp always gets\n"
                   "those of gcc; clang if not given")
        ->type_name("NAME")
        ->check(CLI::IsMember({"clang", "gcc"}).description(""));
    app.add_flag("--list", asked.list, "print the names of the checks, run nothing");
    app.add_option("--only", options.only, "run this check alone; may be given more than once")
        ->type_name("NAME")
        ->delimiter(',');
    app.add_flag("--json", options.json, "print the results for machines");
    app.add_flag("--brief", options.brief,
                 "print a line with name and code for each check, no more");
    app.add_option("--compare", options.compare,
                   "compare with the lines of this file, as --brief prints them, and\n"
                   "print the differences alone")
        ->type_name("FILE");
    app.add_option("--jobs", options.jobs,
                   "checks at a time, of those that do not sample; one for each\n"
                   "processor if not given")
        ->type_name("N")
        ->check(CLI::Range(1, 64).description(""));
    app.add_option("--time-limit", options.time_limit,
                   "seconds after which a check is taken for hanging, 30 if not given")
        ->type_name("S")
        ->check(CLI::Range(1, 3600).description(""));
    app.add_option("--run-check", options.check)->group("");
    app.add_flag("--collector-answers", asked.collector_answers)->group("");
    app.add_flag("-V,--version", asked.version, "print the version");
    app.add_flag("-h,--help", asked.help, "print this");
}

} // namespace

Options parse_options(int argc, const char *const *argv) {
    Options options;
    Asked asked;
    CLI::App app("Checks which rules of OMPT an OpenMP runtime keeps.", "ompt-compliance");
    app.set_help_flag();
    app.footer(kFooter);
    add_options(app, options, asked);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        throw ompcollect::Failure(std::string(error.what()) +
                                  "; ompt-compliance --help lists the options");
    }
    for (const std::string &name : options.only) {
        must_be_a_check(name);
    }
    options.help = app.help();
    options.action = asked.help                ? Action::kHelp
                     : asked.version           ? Action::kVersion
                     : asked.list              ? Action::kList
                     : asked.collector_answers ? Action::kCollectorAnswers
                     : !options.check.empty()  ? Action::kOneCheck
                                               : Action::kRun;
    return options;
}

} // namespace compliance
