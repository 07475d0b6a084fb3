// SPDX-License-Identifier: Apache-2.0
//
// The completions of shells and the manual page, made from the parsers themselves, so that no
// option can be missing in one of them.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace ompcollect::report {

struct Command {
    std::string name;     // "": what is done without a subcommand
    std::string synopsis; // what follows the name in the manual
    const CLI::App *parser = nullptr;
};

std::string bash_completion(const std::vector<Command> &commands);
// For man(1), section 1.
std::string manual_page(const std::vector<Command> &commands, const std::string &version);

std::string zsh_completion(const std::vector<Command> &commands);
std::string fish_completion(const std::vector<Command> &commands);

// The options of a parser, without those that are hidden.
std::vector<const CLI::Option *> shown_options(const CLI::App &parser);
// "-o" and "--output".
std::vector<std::string> names_of(const CLI::Option &option);
bool takes_value(const CLI::Option &option);
// The words that the option takes, if its type lists words only.
std::vector<std::string> words_of(const CLI::Option &option);

} // namespace ompcollect::report
