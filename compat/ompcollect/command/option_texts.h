// SPDX-License-Identifier: Apache-2.0
//
// The bash completion and the manual page, made from the parsers themselves, so that no option can
// be missing in one of them.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace ompcollect::report {

struct Command {
    std::string name;     // "": what is done without a subcommand
    std::string synopsis; // what follows the name in the manual
    const CLI::App *parser = nullptr;
};

std::string bash_completion(const std::vector<Command> &commands);
// For man(1), section 1.
std::string manual_page(const std::vector<Command> &commands, const std::string &version);

// The options of a parser, without those that are hidden.
std::vector<const CLI::Option *> shown_options(const CLI::App &parser);

} // namespace ompcollect::report
