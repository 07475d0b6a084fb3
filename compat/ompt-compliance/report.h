// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector_answers.h"
#include "runner.h"

#include <string>
#include <vector>

namespace compliance {

struct Report {
    std::string runtime;
    std::vector<Result> results;
    std::vector<CollectorAnswer> answers;
    std::string no_answers; // why there are none
    double seconds = 0;
};

std::string table(const Report &report);
std::string json(const Report &report);
// A line with name and code for each check; "-": not in this generation.
std::string brief(const Report &report);
// The differences to such lines, each naming its check; empty: none.
std::string differences(const Report &report, const std::string &expected);

} // namespace compliance
