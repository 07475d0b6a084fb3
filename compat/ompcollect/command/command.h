// SPDX-License-Identifier: Apache-2.0
//
// The subcommands that work on saved runs: report, view, merge and diff. Their options are one
// table (command_options.h), from which the parser, --help, the bash completion and the manual are
// made.
#pragma once

#include "saved_runs.h"
#include "text_style.h"

#include <string>
#include <vector>

namespace ompcollect::report {

// True if the word is a subcommand of here.
bool is_report_command(const std::string &word);

// Runs "report ...", "view ...", "merge ..." or "diff ..." (the first argument is that word) and
// gives the exit code. Throws Failure for wrong options and files.
int report_command(const std::vector<std::string> &arguments, const RawReader &read_raw = {});

// In one of the formats, with the names that it takes, into a file or folder; "" or "-" is standard
// output.
void write_report(Run run, const std::string &format, const std::string &path,
                  const TextStyle &style = {});

} // namespace ompcollect::report
