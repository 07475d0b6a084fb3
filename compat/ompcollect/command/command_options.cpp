// SPDX-License-Identifier: Apache-2.0
#include "command_options.h"

#include "comparison_formats.h"
#include "failure.h"
#include "formats.h"
#include "text_report.h"
#include "words.h"

#include <CLI/CLI.hpp>

namespace ompcollect::report {
namespace {

class HelpFormatter : public CLI::Formatter {
  public:
    explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) {}
    std::string make_usage(const CLI::App *, std::string) const override {
        return "Usage: " + usage_ + "\n";
    }
    // Files are explained by the usage.
    std::string make_positionals(const CLI::App *) const override { return {}; }

  private:
    std::string usage_;
};

std::unique_ptr<CLI::App> bare_parser(const char *about, const char *name, const char *usage,
                                      CommandOptions &options) {
    auto app = std::make_unique<CLI::App>(about, name);
    app->set_help_flag();
    app->formatter(std::make_shared<HelpFormatter>(usage));
    app->add_option("FILE", options.files, "saved runs");
    return app;
}

std::unique_ptr<CLI::App> plain_parser(const char *about, const char *name, const char *usage,
                                       CommandOptions &options) {
    auto app = bare_parser(about, name, usage, options);
    app->add_option("-o,--output", options.output, "write to this file or folder")
        ->type_name("FILE");
    return app;
}

std::unique_ptr<CLI::App> parser(const char *about, const char *name, const char *usage,
                                 CommandOptions &options) {
    auto app = plain_parser(about, name, usage, options);
    app->add_option("--top", options.top, "rows of each table that are shown")
        ->type_name("N")
        ->check(CLI::Range(1U, 1000000U).description(""));
    app->add_flag("--all", options.all, "show everything");
    return app;
}

} // namespace

void parse(CLI::App &app, const std::vector<std::string> &words, int exit_code) {
    try {
        std::vector<std::string> backwards(words.rbegin(), words.rend()); // as the parser wants
        app.parse(backwards);
    } catch (const CLI::ParseError &error) {
        throw Failure(std::string(error.what()) + "; ompcollect " + app.get_name() +
                          " --help lists the options",
                      exit_code);
    }
}

void add_show_option(CLI::App &app, std::string &show) {
    std::vector<std::string> names;
    std::string lines;
    for (const PartName &part : part_names()) {
        names.emplace_back(part.name);
        lines += "\n" + std::string(part.name) + ": " + part.about;
    }
    names.emplace_back("all");
    const auto check = [](const std::string &wanted) -> std::string {
        try {
            parts_named(wanted);
        } catch (const Failure &why) {
            return why.what();
        }
        return {};
    };
    app.add_option("--show", show,
                   "parts of the report, with commas between them, in the\n"
                   "place of the brief one" +
                       lines)
        ->type_name(joined(names, "|"))
        ->check(CLI::Validator(check, ""));
}

std::unique_ptr<CLI::App> report_parser(CommandOptions &options) {
    options.format = "text";
    auto app = parser("Reports on a run that was saved by ompcollect -o run.ompc, also on another "
                      "machine. Without a file: the newest of this folder. Ranks of a job are one "
                      "report.",
                      "report", "ompcollect report [options] [run.ompc...]", options);
    std::string names;
    std::string lines;
    std::set<std::string> known;
    for (const Format &format : formats()) {
        names += (names.empty() ? "" : "|") + std::string(format.name);
        lines += "\n" + std::string(format.name) + ": " + format.about;
        known.insert(format.name);
    }
    add_show_option(*app, options.show);
    app->add_option("-f,--format", options.format, "text if not given" + lines)
        ->type_name(names)
        ->check(CLI::IsMember(known).description(""));
    app->add_option("--rank", options.rank,
                    "of a job: this rank's own report, or with all that of\neach rank")
        ->type_name("N|all");
    app->add_flag("--with-source", options.with_source,
                  "of the html page: keep the source files in it, and show the\n"
                  "text around the lines of a region with the time beside it");
    app->add_flag("--open", options.open,
                  "make the html page, run.html if no name is given, and open\n"
                  "it in the browser; serves nothing");
    app->add_flag("-h,--help", options.help, "print this");
    return app;
}

std::unique_ptr<CLI::App> merge_parser(CommandOptions &options) {
    auto app = plain_parser("Makes one file of the ranks of a job: runs, folders of runs, and what "
                            "was merged before, in any order. Under mpirun the processes share "
                            "the work.",
                            "merge", "ompcollect merge -o job.ompc run.ompc...", options);
    app->add_flag("-h,--help", options.help, "print this");
    return app;
}

std::unique_ptr<CLI::App> view_parser(CommandOptions &options) {
    auto app = bare_parser("Shows a saved run in the terminal, where keys walk its call tree, "
                           "regions, threads, states and lines; ? lists the keys. Without a file: "
                           "the newest of this folder.",
                           "view", "ompcollect view [options] [run.ompc...]", options);
    app->add_option("--rank", options.rank, "of a job: this rank alone")->type_name("N");
    app->add_flag("-h,--help", options.help, "print this");
    return app;
}

std::unique_ptr<CLI::App> diff_parser(CommandOptions &options) {
    options.format = "text";
    auto app =
        parser("Compares saved runs, or several runs of each side with their spread: what got "
               "slower, and by what. Ends with 1 where a rule is broken, with 3 where the runs do "
               "not decide one.",
               "diff",
               "ompcollect diff [options] before.ompc after.ompc\n"
               "       ompcollect diff [options] before.ompc... -- after.ompc...",
               options);
    std::vector<std::string> names;
    std::string lines;
    for (const DiffFormat &format : diff_formats()) {
        names.emplace_back(format.name);
        lines += "\n" + std::string(format.name) + ": " + format.about;
    }
    app->add_option("-f,--format", options.format, "text if not given" + lines)
        ->type_name(joined(names, "|"))
        ->check(CLI::IsMember(names).description(""));
    app->add_option("--fail-if", options.rules,
                    "a rule, as 'elapsed > +5%', 'efficiency < -2pt' or\n"
                    "'region NAME wall > +10%'; may be given several times")
        ->type_name("RULE")
        ->allow_extra_args(false);
    app->add_option("--by", options.by, "a whole table besides, or in csv that one alone")
        ->type_name("function|region|state|all")
        ->check(CLI::IsMember({"function", "region", "state", "all"}).description(""));
    app->add_flag("-h,--help", options.help, "print this");
    return app;
}

} // namespace ompcollect::report
