// SPDX-License-Identifier: Apache-2.0
//
// The command line as data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ompcollect {

// kProbe: the launcher's own second process (runtime_probe.h).
// kCompletion, kManual: texts for installation.
enum class Action { kRun, kHelp, kVersion, kCapabilities, kProbe, kCompletion, kManual };

struct Options {
    Action action = Action::kRun;
    std::string collector; // empty: the default one
    std::string runtime;   // empty: chosen; "libgomp", "libomp" or a library
    std::string output;    // empty: stderr; %p, %h, %r, %q{} and %% are not expanded yet
    unsigned rate = 97;
    int signal = 0;      // the sampling signal
    double interval = 0; // seconds between reports of the running job; 0: none
    size_t top = 0;      // rows of each table; 0: the report's own choice
    bool all = false;    // all parts, and all rows
    std::string show;    // names of parts; empty: the brief report
    bool debuginfod = false;
    bool front = true; // libomp-collector-front.so before the runtime
    std::string clock = "wall";
    std::string stacks = "full";
    bool native = false; // call paths with the frames of an interpreter
    std::string shell;   // kCompletion: its name
    std::string probe;   // kProbe: "gcc" or "clang", who built the program
    bool dry_run = false;
    bool verbose = false;
    std::vector<std::string> command; // the program and its arguments; kCapabilities: may be empty
    std::string help;                 // the text of --help, without the bridge's own options
};

// Throws Failure for a wrong command line.
Options parse_options(int argc, const char *const *argv);

// The completion for bash, zsh or fish and the manual page, of the subcommands too.
std::string completion_text(const std::string &shell);
std::string manual_text(const std::string &version);

} // namespace ompcollect
