// SPDX-License-Identifier: Apache-2.0
//
// See options.h. Options end at the first word that is none: it is the program, and what follows is
// its own.
#include "options.h"

#include "failure.h"

#include <CLI/CLI.hpp>

namespace ompcollect {
namespace {

constexpr char kFooter[] =
    "Exit code: the program's; if a signal ended it, ompcollect ends by the same signal.\n"
    "125: ompcollect itself failed, 126: the program cannot be run, 127: no such program.";

class HelpFormatter : public CLI::Formatter {
  public:
    std::string make_usage(const CLI::App *, std::string) const override {
        return "Usage: ompcollect [options] [--] program [arguments]\n";
    }
};

// Takes the program and its arguments out of what the parser left.
std::vector<std::string> command_of(std::vector<std::string> rest) {
    if (!rest.empty() && rest.front() == "--") {
        rest.erase(rest.begin());
    } else if (!rest.empty() && rest.front().starts_with("-")) {
        throw Failure("unknown option " + rest.front() + "; ompcollect --help lists the options");
    }
    return rest;
}

} // namespace

Options parse_options(int argc, const char *const *argv) {
    Options options;
    bool help = false;
    bool version = false;
    bool capabilities = false;

    CLI::App app("Runs a program with an OpenMP collector and prints the profile.", "ompcollect");
    app.set_help_flag();
    app.prefix_command();
    app.formatter(std::make_shared<HelpFormatter>());
    app.footer(kFooter);
    app.add_option("-o,--output", options.output, "write the profile to this file, not to stderr")
        ->type_name("FILE");
    app.add_option("--rate", options.rate, "samples a second of each thread, 97 if not given")
        ->type_name("1..10000")
        ->check(CLI::Range(1U, 10000U).description(""));
    app.add_option("--clock", options.clock,
                   "wall: by time, also in threads that sleep, whose sleep is\n"
                   "interrupted (the default); cpu: by processor time, so that\n"
                   "waiting asleep is not seen")
        ->type_name("wall|cpu")
        ->check(CLI::IsMember({"wall", "cpu"}).description(""));
    app.add_option("--collector", options.collector,
                   "run this collector, a shared library, instead of the\ndefault one")
        ->type_name("LIB");
    app.add_option("--libomp", options.libomp,
                   "preload this OpenMP runtime; without it libomp is preloaded\n"
                   "where the program needs libgomp")
        ->type_name("PATH");
    app.add_flag("--dry-run", options.dry_run,
                 "print the environment and the command, run nothing");
    app.add_flag("-v,--verbose", options.verbose, "say on stderr what was found and decided");
    app.add_flag("--capabilities", capabilities,
                 "print the OpenMP runtime that the program gets (without a\n"
                 "program: the one that would be preloaded), what it answers to\n"
                 "the bridge, and what can be observed on it");
    app.add_option("--probe-runtime", options.probe)->group("");
    app.add_flag("-V,--version", version, "print the version");
    app.add_flag("-h,--help", help, "print this");

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        throw Failure(std::string(error.what()) + "; ompcollect --help lists the options");
    }
    options.help = app.help();
    options.action = help                     ? Action::kHelp
                     : version                ? Action::kVersion
                     : capabilities           ? Action::kCapabilities
                     : !options.probe.empty() ? Action::kProbe
                                              : Action::kRun;
    if (options.action == Action::kRun || options.action == Action::kCapabilities) {
        options.command = command_of(app.remaining());
        if (options.command.empty() && options.action == Action::kRun) {
            throw Failure("no program given; usage: ompcollect [options] [--] program [arguments]");
        }
    }
    return options;
}

} // namespace ompcollect
