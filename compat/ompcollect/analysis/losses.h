// SPDX-License-Identifier: Apache-2.0
//
// Where a process's time is lost, and to what cause: one rule for each kind of loss. A second that
// is lost is lost to one cause. Rules and their limits are in docs/VERDICT.md.
#pragma once

#include "region_figures.h"

namespace ompcollect::report {

// `figures` has its regions, and `efficiency` elapsed time, threads and serial time.
std::vector<Loss> losses_of(const Process &process, const Figures &figures);

} // namespace ompcollect::report
