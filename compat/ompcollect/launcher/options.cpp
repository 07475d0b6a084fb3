// SPDX-License-Identifier: Apache-2.0
//
// Options end at the first word that is none: it is the program, and what follows is
// its own.
#include "options.h"

#include "command.h"
#include "command_options.h"
#include "failure.h"
#include "formats.h"
#include "option_texts.h"
#include "sampling_rate.h"
#include "scale_command.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <csignal>
#include <cstring>
#include <utility>

namespace ompcollect {
namespace {

constexpr char kFooter[] =
    "With -o NAME.ompc the whole run is saved; ompcollect report shows it in other\n"
    "formats, ompcollect view walks it in the terminal, ompcollect merge makes one\n"
    "file of the ranks of a job, ompcollect diff compares two, ompcollect scale tries\n"
    "several numbers of threads (--help after each).\n"
    "While the program runs, kill -USR2 on ompcollect prints the profile so far, and\n"
    "saves it where -o names a run.\n"
    "Exit code: the program's; if a signal ended it, ompcollect ends by the same signal.\n"
    "125: ompcollect itself failed, or the profile could not be written;\n"
    "126: the program cannot be run, 127: no such program.";

constexpr char kDefaultSignal[] = "URG";

struct SignalName {
    const char *name;
    int number;
};
// Signals that a program can do without while it is sampled.
constexpr SignalName kSignalNames[] = {
    {"URG", SIGURG},   {"PROF", SIGPROF}, {"VTALRM", SIGVTALRM}, {"USR1", SIGUSR1},
    {"USR2", SIGUSR2}, {"IO", SIGIO},     {"WINCH", SIGWINCH},   {"ALRM", SIGALRM},
};

// "URG", "SIGURG", "RTMIN+3" or a number.
int signal_of(const std::string &text) {
    const std::string name = text.starts_with("SIG") ? text.substr(3) : text;
    for (const SignalName &known : kSignalNames) {
        if (name == known.name) {
            return known.number;
        }
    }
    const bool real_time = name.starts_with("RTMIN+");
    const std::string digits = real_time ? name.substr(strlen("RTMIN+")) : name;
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    number += real_time ? SIGRTMIN : 0;
    if (error != std::errc() || end != digits.data() + digits.size() || number < 1 ||
        number > SIGRTMAX || number == SIGKILL || number == SIGSTOP) {
        throw Failure("--signal: " + text +
                      " is no signal that can be handled; give a name like "
                      "URG, PROF, RTMIN+3, or a number");
    }
    return number;
}

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

// What the parser fills in.
struct Words {
    Options options;
    bool help = false;
    bool version = false;
    bool capabilities = false;
    bool manual = false;
    bool no_front = false;
    std::string signal = kDefaultSignal;
};

// What is printed, and where to.
void add_report_options(CLI::App &app, Options &options) {
    app.add_option("-o,--output", options.output,
                   "write the profile to this file, not to stderr; %p in its\n"
                   "name is the process, %h the host, %r the MPI rank,\n"
                   "%q{NAME} a variable, %% a percent sign; all ranks of a\n"
                   "job lie in one folder run.ompc")
        ->type_name("FILE");
    app.add_option("--top", options.top, "rows of each table that are shown")
        ->type_name("N")
        ->check(CLI::Range(1U, 1000000U).description(""));
    app.add_flag("--all", options.all, "show all parts of the report, and all rows of each");
    report::add_show_option(app, options.show);
    app.add_option("--interval", options.interval, "print the profile so far every S seconds")
        ->type_name("S")
        ->check(CLI::Range(0.1, 1e9).description(""));
}

void add_sampling_options(CLI::App &app, Words &words) {
    app.add_option("--rate", words.options.rate, "samples a second of each thread, 97 if not given")
        ->type_name(kRateRange)
        ->check(CLI::Range(kLowestRate, kHighestRate).description(""));
    app.add_option("--clock", words.options.clock,
                   "wall: by time, also in threads that sleep (the default);\n"
                   "cpu: by processor time, so that waiting asleep is not seen")
        ->type_name("wall|cpu")
        ->check(CLI::IsMember({"wall", "cpu"}).description(""));
    app.add_option("--stacks", words.options.stacks,
                   "call stacks: full, of regions and of samples (the default);\n"
                   "forks, of regions alone; off, none")
        ->type_name("full|forks|off")
        ->check(CLI::IsMember({"full", "forks", "off"}).description(""));
    app.add_flag("--native", words.options.native,
                 "call paths with the frames of Python's interpreter, too");
    app.add_option("--signal", words.signal, "the signal that samples, URG if not given")
        ->type_name("NAME|N");
}

// What is preloaded.
void add_library_options(CLI::App &app, Words &words) {
    app.add_option("--collector", words.options.collector,
                   "run this collector, a shared library, instead of the\ndefault one")
        ->type_name("LIB");
    app.add_option("--runtime,--libomp", words.options.runtime,
                   "the OpenMP runtime of programs built by gcc: their own\n"
                   "libgomp, or libomp in its place, or this library in the\n"
                   "place of every program's")
        ->type_name("libgomp|libomp|PATH");
    app.add_flag("--no-front", words.no_front,
                 "leave the calls of the OpenMP runtime unmarked: its own\n"
                 "time inside a region, as for dealing iterations, then\n"
                 "shows as WORK and not as OVHD (2 ns a call less, x86-64)");
}

void add_other_options(CLI::App &app, Words &words) {
    app.add_flag("--debuginfod", words.options.debuginfod,
                 "let DEBUGINFOD_URLS be asked for source lines");
    app.add_flag("--dry-run", words.options.dry_run,
                 "print the environment and the command, run nothing");
    app.add_flag("-v,--verbose", words.options.verbose, "say on stderr what was found and decided");
    app.add_flag("--capabilities", words.capabilities,
                 "print the OpenMP runtime that the program gets (without a\n"
                 "program: the one that would be preloaded), what it answers to\n"
                 "the bridge, and what can be observed on it");
    app.add_option("--probe-runtime", words.options.probe)->group("");
    app.add_flag("-V,--version", words.version, "print the version");
    app.add_flag("-h,--help", words.help, "print this");
    app.add_option("--print-completion", words.options.shell)
        ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""))
        ->group("");
    app.add_flag("--print-manual", words.manual)->group("");
}

std::unique_ptr<CLI::App> run_parser(Words &words) {
    auto parser = std::make_unique<CLI::App>(
        "Runs a program with an OpenMP collector and prints the profile.", "ompcollect");
    CLI::App &app = *parser;
    app.set_help_flag();
    app.prefix_command();
    app.formatter(std::make_shared<HelpFormatter>());
    app.footer(kFooter);
    // In the order of --help.
    add_report_options(app, words.options);
    add_sampling_options(app, words);
    add_library_options(app, words);
    add_other_options(app, words);
    return parser;
}

// What is left: the program and its arguments.
std::vector<std::string> parse(int argc, const char *const *argv, Words &words) {
    const auto parser = run_parser(words);
    CLI::App &app = *parser;
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        throw Failure(std::string(error.what()) + "; ompcollect --help lists the options");
    }
    words.options.help = words.help ? app.help() : std::string();
    return app.remaining();
}

// A run is saved, or reported as text.
void refuse_other_formats(const std::string &output) {
    const report::Format *const named = report::format_of_file(output);
    if (named && strcmp(named->name, "text") != 0) {
        throw Failure(output + ": " + named->name + " is made of a saved run; give -o run" +
                      report::kRunSuffix + ", and then ompcollect report run" + report::kRunSuffix +
                      " -o " + output);
    }
}

// The parsers of all subcommands, alive as long as this.
struct Commands {
    Words words;
    report::CommandOptions report_options;
    report::CommandOptions view_options;
    report::CommandOptions merge_options;
    report::CommandOptions diff_options;
    report::ScaleOptions scale_options;
    std::unique_ptr<CLI::App> run = run_parser(words);
    std::unique_ptr<CLI::App> report = report::report_parser(report_options);
    std::unique_ptr<CLI::App> view = report::view_parser(view_options);
    std::unique_ptr<CLI::App> merge = report::merge_parser(merge_options);
    std::unique_ptr<CLI::App> diff = report::diff_parser(diff_options);
    std::unique_ptr<CLI::App> scale = report::scale_parser(scale_options);
    std::vector<report::Command> list = {
        {"", "[options] [--] program [arguments]", run.get()},
        {"report", "[options] [run.ompc...]", report.get()},
        {"view", "[options] [run.ompc...]", view.get()},
        {"merge", "-o job.ompc run.ompc...", merge.get()},
        {"diff", "[options] before.ompc... [--] after.ompc...", diff.get()},
        {"scale", "-t LIST [options] [--] program [arguments]", scale.get()},
    };
};

} // namespace

std::string completion_text(const std::string &shell) {
    const Commands commands;
    return shell == "zsh"    ? report::zsh_completion(commands.list)
           : shell == "fish" ? report::fish_completion(commands.list)
                             : report::bash_completion(commands.list);
}

std::string manual_text(const std::string &version) {
    return report::manual_page(Commands().list, version);
}

Options parse_options(int argc, const char *const *argv) {
    Words words;
    Options &options = words.options;
    // The program comes first: no option, and a tenth of a millisecond less.
    const bool has_options = argc < 2 || argv[1][0] == '-';
    std::vector<std::string> rest =
        has_options ? parse(argc, argv, words) : std::vector<std::string>(argv + 1, argv + argc);
    options.signal = signal_of(words.signal);
    options.front = !words.no_front;
    options.action = words.help               ? Action::kHelp
                     : words.version          ? Action::kVersion
                     : words.capabilities     ? Action::kCapabilities
                     : !options.shell.empty() ? Action::kCompletion
                     : words.manual           ? Action::kManual
                     : !options.probe.empty() ? Action::kProbe
                                              : Action::kRun;
    if (options.action == Action::kRun || options.action == Action::kCapabilities) {
        options.command = command_of(std::move(rest));
        refuse_other_formats(options.output);
        if (options.command.empty() && options.action == Action::kRun) {
            throw Failure("no program given; usage: ompcollect [options] [--] program [arguments]");
        }
    }
    return options;
}

} // namespace ompcollect
