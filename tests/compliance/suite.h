// SPDX-License-Identifier: Apache-2.0
//
// Runs ompt-compliance and reads what it prints.
#pragma once

#include "process.h"

#include <map>
#include <string>
#include <vector>

namespace compliance_test {

// By name of the check: "0", "255", "254", "-", "crash", "hang".
using Codes = std::map<std::string, std::string>;

// The library of a mini-runtime: "5", "tr6", "tr2-001", "tr2-000", "2014".
std::string mini_runtime(const std::string &generation);

ocb_test::Outcome run_suite(const std::vector<std::string> &arguments,
                            const std::map<std::string, std::string> &environment = {});

// The lines of --brief. `only`: these checks, or all if it is empty.
Codes codes_of(const std::string &runtime, const std::vector<std::string> &only,
               const std::map<std::string, std::string> &environment = {});

// In the order of --list.
const std::vector<std::string> &check_names();

} // namespace compliance_test
