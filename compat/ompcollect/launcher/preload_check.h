// SPDX-License-Identifier: Apache-2.0
//
// Whether ld.so can preload what it is told to, asked of ld.so itself and of the launcher's own
// file; nothing of the libraries is run.
#pragma once

#include "environment.h"

#include <string>

namespace ompcollect {

// ld.so's complaint about this value of LD_PRELOAD, beside these variables; empty: there is none.
std::string preload_complaint(const std::string &preload, const Variables &variables);

} // namespace ompcollect
