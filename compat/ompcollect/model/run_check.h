// SPDX-License-Identifier: Apache-2.0
//
// What must hold for a run that was read from a file: every number is in its range (ranges.h), rows
// refer to rows which are there, and parents stand first. No report checks a number again.
#pragma once

#include "run.h"

#include <stdexcept>

namespace ompcollect::report {

// What a file must hold: throws std::runtime_error with the cause where it does not.
inline void require(bool holds, const char *what) {
    if (!holds) {
        throw std::runtime_error(what);
    }
}

// Throws std::runtime_error with the cause.
void check_process(const Process &process);

} // namespace ompcollect::report
