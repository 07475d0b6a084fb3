// SPDX-License-Identifier: Apache-2.0
//
// An option whose type is written "one|two" is completed with these words, any
// other that takes a value with file names.
#include "option_texts.h"

#include "words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

namespace ompcollect::report {
namespace {

std::string function_of(const Command &command) {
    std::ostringstream out;
    std::vector<std::string> all;
    out << "_ompcollect_" << (command.name.empty() ? "run" : command.name) << "() {\n"
        << "    case $before in\n";
    for (const CLI::Option *option : shown_options(*command.parser)) {
        const std::vector<std::string> names = names_of(*option);
        all.insert(all.end(), names.begin(), names.end());
        if (takes_value(*option)) {
            const std::vector<std::string> words = words_of(*option);
            out << "    " << joined(names, "|") << ")\n        COMPREPLY=($(compgen "
                << (words.empty() ? "-f" : "-W '" + joined(words, " ") + "'")
                << " -- \"$word\"))\n        return ;;\n";
        }
    }
    out << "    esac\n    if [[ $word == -* ]]; then\n        COMPREPLY=($(compgen -W '"
        << joined(all, " ") << "' -- \"$word\"))\n    else\n        ";
    if (command.name.empty()) {
        out << "COMPREPLY=($(compgen -c -f -- \"$word\"))";
    } else {
        out << "COMPREPLY=($(compgen -f -- \"$word\"))";
    }
    out << "\n    fi\n}\n";
    return out.str();
}

// Options with a value that stand before the program, for the completion to pass over.
std::string with_value(const Command &command) {
    std::vector<std::string> all;
    for (const CLI::Option *option : shown_options(*command.parser)) {
        if (takes_value(*option)) {
            const std::vector<std::string> names = names_of(*option);
            all.insert(all.end(), names.begin(), names.end());
        }
    }
    return joined(all, "|");
}

// Characters that troff takes for its own.
std::string troff(const std::string &text) {
    std::string to;
    bool at_begin = true;
    for (const char c : text) {
        if (at_begin && (c == '.' || c == '\'')) {
            to += "\\&";
        }
        to += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
        at_begin = c == '\n';
    }
    return to;
}

// One paragraph per line of the sentence that stands for itself ("json: ...").
std::string paragraphs(const std::string &text) {
    std::istringstream in(text);
    std::string to;
    for (std::string line; std::getline(in, line);) {
        const size_t colon = line.find(':');
        const bool is_item =
            colon != std::string::npos && colon > 0 && line.find(' ') == colon + 1 && !to.empty();
        to += (is_item ? ".br\n" : "") + troff(line) + "\n";
    }
    return to;
}

} // namespace

std::vector<std::string> names_of(const CLI::Option &option) {
    std::vector<std::string> names;
    for (const std::string &name : option.get_snames()) {
        names.push_back("-" + name);
    }
    for (const std::string &name : option.get_lnames()) {
        names.push_back("--" + name);
    }
    return names;
}

bool takes_value(const CLI::Option &option) {
    return option.get_items_expected_max() > 0;
}

std::vector<std::string> words_of(const CLI::Option &option) {
    const std::string type = option.get_type_name();
    std::vector<std::string> words;
    if (type.find('|') == std::string::npos) {
        return words;
    }
    std::istringstream in(type);
    for (std::string word; std::getline(in, word, '|');) {
        // What is written large stands for something: PATH, N.
        if (!std::all_of(word.begin(), word.end(), [](unsigned char c) { return isupper(c); })) {
            words.push_back(word);
        }
    }
    return words;
}

std::vector<const CLI::Option *> shown_options(const CLI::App &parser) {
    return parser.get_options([](const CLI::Option *option) {
        return !option->get_group().empty() && !option->get_positional();
    });
}

std::string bash_completion(const std::vector<Command> &commands) {
    std::ostringstream out;
    out << "# SPDX-License-Identifier: Apache-2.0\n"
        << "# Completion of ompcollect for bash, made by ompcollect itself.\n";
    std::vector<std::string> names;
    for (const Command &command : commands) {
        out << function_of(command);
        if (!command.name.empty()) {
            names.push_back(command.name);
        }
    }
    out << "_ompcollect() {\n"
        << "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} i\n"
        << "    COMPREPLY=()\n"
        << "    case ${COMP_WORDS[1]} in\n";
    for (const std::string &name : names) {
        out << "    " << name << ")\n        if ((COMP_CWORD > 1)); then _ompcollect_" << name
            << "; return; fi ;;\n";
    }
    out << "    esac\n";
    for (const Command &command : commands) {
        if (command.name.empty()) {
            // What follows the program is the program's.
            out << "    for ((i = 1; i < COMP_CWORD; ++i)); do\n"
                << "        case ${COMP_WORDS[i]} in\n        " << with_value(command)
                << ") ((++i)) ;;\n        -*) ;;\n"
                << "        *) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
                << "        esac\n    done\n    _ompcollect_run\n";
        }
    }
    out << "    if ((COMP_CWORD == 1)); then COMPREPLY+=($(compgen -W '" << joined(names, " ")
        << "' -- \"$word\")); fi\n}\n"
        << "complete -o filenames -F _ompcollect ompcollect\n";
    return out.str();
}

std::string manual_page(const std::vector<Command> &commands, const std::string &version) {
    std::ostringstream out;
    out << ".\\\" SPDX-License-Identifier: Apache-2.0\n.TH OMPCOLLECT 1 \"\" \"ompcollect "
        << version << "\"\n.SH NAME\nompcollect \\- profiles OpenMP programs and reports on it\n"
        << ".SH SYNOPSIS\n";
    for (const Command &command : commands) {
        out << ".B ompcollect" << (command.name.empty() ? "" : " " + command.name) << "\n"
            << troff(command.synopsis) << "\n.br\n";
    }
    for (const Command &command : commands) {
        out << ".SH " << (command.name.empty() ? "RUNNING A PROGRAM" : command.name) << "\n"
            << troff(command.parser->get_description()) << "\n";
        for (const CLI::Option *option : shown_options(*command.parser)) {
            out << ".TP\n.B " << troff(joined(names_of(*option), ", "));
            if (takes_value(*option)) {
                out << " " << troff(option->get_type_name());
            }
            out << "\n" << paragraphs(option->get_description());
        }
        if (!command.parser->get_footer().empty()) {
            out << ".PP\n" << troff(command.parser->get_footer()) << "\n";
        }
    }
    return out.str();
}

} // namespace ompcollect::report
