// SPDX-License-Identifier: Apache-2.0
//
// What should make a reader doubt a run's numbers. Made here once; every output shows all of it.
#pragma once

#include "run.h"

#include <string>
#include <vector>

namespace ompcollect::report {

struct Warning {
    std::string name; // for programs: "oversubscribed", "late_samples", ...
    std::string text; // a sentence without its end
};

// The gravest ones first.
std::vector<Warning> warnings_of(const Process &process);

} // namespace ompcollect::report
