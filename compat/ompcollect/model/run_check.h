// SPDX-License-Identifier: Apache-2.0
//
// What must hold for a run that was read from a file: every number is in its range (ranges.h), rows
// refer to rows which are there, and parents stand first. No report checks a number again.
#pragma once

#include "run.h"

namespace ompcollect::report {

// Throws std::runtime_error with the cause.
void check_process(const Process &process);

} // namespace ompcollect::report
