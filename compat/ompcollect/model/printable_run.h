// SPDX-License-Identifier: Apache-2.0
//
// The names of a run as a person's screen may get them (people.h).
#pragma once

#include "run.h"

namespace ompcollect::report {

// Every text of it: for reports, not for the file that keeps the run.
void make_printable(Process &process);

} // namespace ompcollect::report
