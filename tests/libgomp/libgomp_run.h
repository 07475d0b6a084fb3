// SPDX-License-Identifier: Apache-2.0
// Runs a program on libgomp or on a libomp, with libraries preloaded, and reads what the recorder
// (recorder.c) counted.
#pragma once

#include "process.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ocb_test {

struct LibgompRun {
    std::vector<std::string> preload;
    std::map<std::string, std::string> environment;
    std::vector<std::string> arguments;
    int time_limit_s = 300;
};

// By name: how many begins (or all), how many ends. Empty: there was no record.
using Counts = std::map<std::string, std::pair<long, long>>;

struct Recorded {
    Outcome outcome;
    Counts counts;
};

std::string program_path(const std::string &name);
Recorded run_recorded(const std::string &program, const LibgompRun &run);

} // namespace ocb_test
