// SPDX-License-Identifier: Apache-2.0
//
// The options of the subcommands, as the parser takes them; --help, the bash completion and the
// manual are made from the same (option_texts.h).
#pragma once

#include "failure.h"

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace ompcollect::report {

struct CommandOptions {
    std::string format;
    std::string output;
    size_t top = 0; // 0: the report's own choice
    bool all = false;
    std::string show;               // of report: names of parts
    std::string by;                 // of diff: which tables besides what stands out
    std::vector<std::string> rules; // of diff
    std::string rank;               // of report and view: a number, "all", or empty
    bool with_source = false;       // of report: the page keeps source text
    bool open = false;              // of report: the page, in the user's browser
    bool help = false;
    std::vector<std::string> files;
};

// Failure with this exit code where the words are no options of the command.
void parse(CLI::App &app, const std::vector<std::string> &words, int exit_code = kExitLauncher);

// The parser fills in the options, which must outlive it.
// The option --show of both forms of the command.
void add_show_option(CLI::App &app, std::string &show);

std::unique_ptr<CLI::App> report_parser(CommandOptions &options);
std::unique_ptr<CLI::App> view_parser(CommandOptions &options);
std::unique_ptr<CLI::App> diff_parser(CommandOptions &options);
std::unique_ptr<CLI::App> merge_parser(CommandOptions &options);

} // namespace ompcollect::report
