// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target of the launcher's options, and of those of its commands: an input is a command
// line, its words end with a 0. Wrong ones are a Failure.
#include "command_options.h"
#include "failure.h"
#include "input.h"
#include "options.h"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

using Parser = std::unique_ptr<CLI::App> (*)(ompcollect::report::CommandOptions &);
const std::map<std::string, Parser> kCommands = {{"report", ompcollect::report::report_parser},
                                                 {"view", ompcollect::report::view_parser},
                                                 {"diff", ompcollect::report::diff_parser},
                                                 {"merge", ompcollect::report::merge_parser}};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    std::vector<std::string> words(1);
    for (std::size_t i = 0; i < size; ++i) {
        if (data[i] == 0) {
            words.emplace_back();
        } else {
            words.back() += static_cast<char>(data[i]);
        }
    }
    const auto command = kCommands.find(words.front());
    if (command != kCommands.end()) {
        ompcollect::report::CommandOptions options;
        const auto app = command->second(options);
        std::vector<std::string> backwards(words.rbegin(), words.rend() - 1);
        try {
            app->parse(backwards);
            ocb::test::require(!options.help || !app->help().empty(), "there is help");
        } catch (const CLI::ParseError &) {
        }
        return 0;
    }
    std::vector<const char *> arguments = {"ompcollect"};
    for (const std::string &word : words) {
        arguments.push_back(word.c_str());
    }
    try {
        const auto options =
            ompcollect::parse_options(static_cast<int>(arguments.size()), arguments.data());
        ocb::test::require(options.rate >= 1 && options.rate <= 10000, "the rate is in its range");
    } catch (const ompcollect::Failure &) {
    }
    return 0;
}
