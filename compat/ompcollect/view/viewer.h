// SPDX-License-Identifier: Apache-2.0
//
// `ompcollect view`: a saved run on the terminal, walked by keys.
#pragma once

#include "run.h"

namespace ompcollect::report {

// Returns when its user quits. Throws Failure where there is no terminal, or no process. Texts of
// the run are printable (printable_run.h).
void view_run(const Run &run);

} // namespace ompcollect::report
