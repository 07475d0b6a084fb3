// SPDX-License-Identifier: Apache-2.0
//
// The names of the checks, in the order in which they run: known to the driver and to the module
// that has them.
#pragma once

#include <span>

namespace compliance {

struct CheckName {
    const char *name;
    const char *section; // of the test suite's document; "-": from the reports on OMPT
    const char *title;
    // Does it sample? Then it runs alone, so that it takes no time from another one.
    bool samples;
};

std::span<const CheckName> check_names();

// The module's one function, see checks_main.cpp. Prints the verdict's lines, returns the exit
// code.
#define COMPLIANCE_RUN_SYMBOL "ompt_compliance_run_check"
using RunCheck = int (*)(const char *name, const char *runtime, const char *workload);

} // namespace compliance
