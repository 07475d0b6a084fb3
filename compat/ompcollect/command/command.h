// SPDX-License-Identifier: Apache-2.0
//
// The subcommands that work on saved runs: report, view, merge and diff. Their options are one
// table (command_options.h), from which the parser, --help, the bash completion and the manual are
// made.
#pragma once

#include "run.h"
#include "text_style.h"

#include <functional>
#include <string>
#include <vector>

namespace ompcollect::report {

// How a file or a folder that is no saved run is read: raw profiles, whose names have to be looked
// up. Given by the launcher, which knows how to; throws Failure. Empty: there is no such thing.
using RawReader = std::function<Run(const std::string &path)>;

// True if the word is a subcommand of here.
bool is_report_command(const std::string &word);

// Runs "report ...", "view ...", "merge ..." or "diff ..." (the first argument is that word) and
// gives the exit code. Throws Failure for wrong options and files.
int report_command(const std::vector<std::string> &arguments, const RawReader &read_raw = {});

// A saved run, or a raw profile.
Run load_run(const std::string &path, const RawReader &read_raw);
// Whole or not at all: the file gets its name when it is complete.
void save_run(const Run &run, const std::string &path);

// In one of the formats, with the names that it takes, into a file or folder; "" or "-" is standard
// output.
void write_report(Run run, const std::string &format, const std::string &path,
                  const TextStyle &style = {});

// The file that `report` without a name shows: the newest saved run of the folder; "" for none.
std::string newest_run(const std::string &folder);
inline constexpr char kRunSuffix[] = ".ompc";

} // namespace ompcollect::report
