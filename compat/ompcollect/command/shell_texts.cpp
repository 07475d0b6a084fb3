// SPDX-License-Identifier: Apache-2.0
//
// The completions for zsh and fish. Both show a sentence for each option: the first of its own.
#include "option_texts.h"

#include "words.h"

#include <CLI/CLI.hpp>
#include <sstream>

namespace ompcollect::report {
namespace {

// The option's text up to where a list or a second thought begins, without what quotes are.
std::string sentence_of(const CLI::Option &option) {
    const std::string &text = option.get_description();
    std::string sentence;
    for (const char c : text.substr(0, text.find_first_of(";:"))) {
        if (c == '\n') {
            sentence += ' ';
        } else if (c != '\'' && c != '[' && c != ']') {
            sentence += c;
        }
    }
    return sentence;
}

std::string first_line(const std::string &text) {
    return text.substr(0, text.find_first_of(".;,"));
}

// What _arguments takes: '(-o --output)'{-o+,--output=}'[sentence]:FILE:_files'.
std::string zsh_option(const CLI::Option &option) {
    const std::vector<std::string> names = names_of(option);
    std::vector<std::string> forms;
    for (const std::string &name : names) {
        const char *end = !takes_value(option) ? "" : name.starts_with("--") ? "=" : "+";
        forms.push_back(name + end);
    }
    std::string text = "'(" + joined(names, " ") + ")'";
    text += forms.size() == 1 ? forms[0] : "{" + joined(forms, ",") + "}";
    text += "'[" + sentence_of(option) + "]";
    if (takes_value(option)) {
        const std::vector<std::string> words = words_of(option);
        text += ":value:" + (words.empty() ? "_files" : "(" + joined(words, " ") + ")");
    }
    return text + "'";
}

std::string fish_option(const CLI::Option &option) {
    std::string text;
    for (const std::string &name : names_of(option)) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (takes_value(option)) {
        const std::vector<std::string> words = words_of(option);
        text += words.empty() ? " -r -F" : " -x -a '" + joined(words, " ") + "'";
    }
    return text + " -d '" + sentence_of(option) + "'";
}

// In two pieces, so that no reader takes it for the licence line of this file.
constexpr char kHead[] = "# SPDX-"
                         "License-Identifier: Apache-2.0\n"
                         "# Completion of ompcollect for ";

std::vector<std::string> subcommands(const std::vector<Command> &commands) {
    std::vector<std::string> names;
    for (const Command &command : commands) {
        if (!command.name.empty()) {
            names.push_back(command.name);
        }
    }
    return names;
}

} // namespace

std::string zsh_completion(const std::vector<Command> &commands) {
    std::ostringstream out;
    out << "#compdef ompcollect\n" << kHead << "zsh, made by ompcollect itself.\n";
    for (const Command &command : commands) {
        const bool runs = command.name.empty();
        // Behind the program all words are its own.
        out << "_ompcollect_" << (runs ? "run" : command.name) << "() {\n    _arguments -s -S"
            << (runs ? " -A '-*'" : "") << " :";
        for (const CLI::Option *option : shown_options(*command.parser)) {
            out << " \\\n        " << zsh_option(*option);
        }
        out << " \\\n        " << (runs ? "'*::program:_normal'" : "'*:saved run:_files'")
            << "\n}\n";
    }
    out << "_ompcollect() {\n"
        << "    case $words[2] in\n";
    for (const std::string &name : subcommands(commands)) {
        out << "    " << name << ")\n        if ((CURRENT > 2)); then\n            shift words\n"
            << "            ((CURRENT--))\n            _ompcollect_" << name
            << "\n            return\n        fi ;;\n";
    }
    out << "    esac\n    if ((CURRENT == 2)); then\n        compadd "
        << joined(subcommands(commands), " ") << "\n    fi\n    _ompcollect_run\n}\n"
        << "if [[ $funcstack[1] == _ompcollect ]]; then _ompcollect \"$@\"; fi\n";
    return out.str();
}

std::string fish_completion(const std::vector<Command> &commands) {
    std::ostringstream out;
    out << kHead << "fish, made by ompcollect itself.\n";
    const std::string names = joined(subcommands(commands), " ");
    for (const Command &command : commands) {
        std::string when = "__fish_seen_subcommand_from " + command.name;
        if (command.name.empty()) {
            when = "not __fish_seen_subcommand_from " + names;
            out << "complete -c ompcollect -n '" << when << "' -a '(__fish_complete_subcommand)'\n";
        } else {
            out << "complete -c ompcollect -n 'not __fish_seen_subcommand_from " << names << "' -a "
                << command.name << " -d '" << first_line(command.parser->get_description())
                << "'\n";
        }
        for (const CLI::Option *option : shown_options(*command.parser)) {
            out << "complete -c ompcollect -n '" << when << "'" << fish_option(*option) << "\n";
        }
    }
    return out.str();
}

} // namespace ompcollect::report
