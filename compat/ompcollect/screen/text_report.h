// SPDX-License-Identifier: Apache-2.0
//
// The report that a person reads: the run, the verdict, time by state, threads, parallel regions,
// call paths, contended locks, events. Lines fit the width that is asked for.
#pragma once

#include "run.h"
#include "verdict.h"

#include <string>

namespace ompcollect::report {

// Tables and columns without content are left out.
std::string text_report(const Process &process, const TextStyle &style);

} // namespace ompcollect::report
