// SPDX-License-Identifier: Apache-2.0
//
// A wrapper's options are not known here: each of its words that names a program counts. A word too
// many does no harm, as only programs that need an OpenMP runtime matter.
#include "wrapped_command.h"

#include "failure.h"
#include "program_file.h"
#include "words.h"

#include <algorithm>
#include <string_view>

namespace ompcollect {
namespace {

// Commands that execute their arguments.
constexpr std::string_view kWrappers[] = {
    "taskset",  "nice",   "ionice", "chrt",    "timeout", "env",     "time",    "setsid",
    "nohup",    "stdbuf", "xargs",  "numactl", "prlimit", "unshare", "setarch", "strace",
    "ltrace",   "gdb",    "mpirun", "mpiexec", "orterun", "prterun", "srun",    "jsrun",
    "flux",     "aprun",  "bash",   "sh",      "dash",    "ksh",     "zsh",     "busybox",
    "parallel", "watch",  "script", "sudo",    "make",    "ninja",
};

// Of these, those that start the ranks of a job.
constexpr std::string_view kJobLaunchers[] = {
    "mpirun", "mpiexec", "orterun", "prterun", "srun", "jsrun", "flux", "aprun",
};

// Load plugins, which may bring a runtime. Versions may follow the names (python3.11).
constexpr std::string_view kHosts[] = {
    "python", "R", "Rscript", "perl", "ruby", "julia", "octave", "node", "lua", "java", "guile",
};

// "mpirun.openmpi" and "mpiexec.hydra" are in it as well.
template <size_t kSize>
bool is_among(const std::string_view (&names)[kSize], const std::string &name) {
    const std::string stem = name.substr(0, name.find('.'));
    return std::find(std::begin(names), std::end(names), stem) != std::end(names);
}

bool is_host(const std::string &name) {
    const std::string stem = name.substr(0, name.find_first_of("0123456789.-"));
    return std::find(std::begin(kHosts), std::end(kHosts), stem) != std::end(kHosts);
}

void add_file(CommandContents &contents, const std::string &path) {
    const FileKind kind = kind_of_file(path);
    if (kind == FileKind::kDynamic) {
        contents.programs.push_back(path);
        contents.runs_unknown = contents.runs_unknown || is_host(report::base_name(path));
    } else if (kind == FileKind::kStatic) {
        contents.static_programs.push_back(path);
    } else if (kind == FileKind::kForeign) {
        contents.foreign_programs.push_back(path);
    } else if (kind == FileKind::kScript) {
        contents.runs_unknown = true;
    }
}

// False where the word is no program: an option, a number, an argument.
bool add_word(CommandContents &contents, const std::string &word) {
    try {
        add_file(contents, find_program(word));
        contents.starts_ranks =
            contents.starts_ranks || is_among(kJobLaunchers, report::base_name(word));
        return true;
    } catch (const Failure &) {
        return false;
    }
}

// As the shell takes a text apart, without what it would put in.
std::vector<std::string> words_of(const std::string &text) {
    std::vector<std::string> words;
    bool is_in_word = false;
    char quote = '\0';
    for (size_t i = 0; i < text.size(); ++i) {
        char letter = text[i];
        if (quote == '\0' &&
            std::string_view(" \t\n;&|()").find(letter) != std::string_view::npos) {
            is_in_word = false;
            continue;
        }
        if (!is_in_word) {
            words.emplace_back();
            is_in_word = true;
        }
        if (quote == '\0' ? letter == '\'' || letter == '"' : letter == quote) {
            quote = quote == '\0' ? letter : '\0';
            continue;
        }
        if (letter == '\\' && quote != '\'' && i + 1 < text.size()) {
            letter = text[++i];
        }
        words.back() += letter;
    }
    return words;
}

// A word may be a program, whose path may hold spaces, or hold words itself: what a shell is told
// to run, another shell perhaps. What stands behind an apostrophe that no other closes is one word,
// too, and is taken apart in its turn.
void add_text(CommandContents &contents, const std::string &text) {
    if (text.empty() || add_word(contents, text)) {
        return;
    }
    for (const std::string &word : words_of(text)) {
        if (word.size() < text.size()) {
            add_text(contents, word);
        }
    }
}

} // namespace

CommandContents contents_of(const std::string &program, const std::vector<std::string> &command) {
    CommandContents contents;
    add_file(contents, program);
    // mpirun may be a script; what it runs stands in its words all the same.
    if (!is_among(kWrappers, report::base_name(command.front()))) {
        return contents;
    }
    contents.starts_ranks = is_among(kJobLaunchers, report::base_name(command.front()));
    for (size_t i = 1; i < command.size(); ++i) {
        add_text(contents, command[i]);
    }
    return contents;
}

} // namespace ompcollect
