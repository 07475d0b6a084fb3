// SPDX-License-Identifier: Apache-2.0
//
// Saved runs as files and folders: read, written and found.
#pragma once

#include "run.h"

#include <functional>
#include <string>

namespace ompcollect::report {

// How a file or a folder that is no saved run is read: raw profiles, whose names have to be looked
// up. Given by the launcher, which knows how to; throws Failure. Empty: there is no such thing.
using RawReader = std::function<Run(const std::string &path)>;

// A saved run, or a raw profile.
Run load_run(const std::string &path, const RawReader &read_raw);
// Whole or not at all: the file gets its name when it is complete.
void save_run(const Run &run, const std::string &path);

// The file that `report` without a name shows: the newest saved run of the folder; "" for none.
std::string newest_run(const std::string &folder);
inline constexpr char kRunSuffix[] = ".ompc";

} // namespace ompcollect::report
