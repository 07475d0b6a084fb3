// SPDX-License-Identifier: Apache-2.0
//
// The report of a process that runs without the launcher: to stderr, at exit.
#pragma once

namespace ompcollect {

void print_own_report();

} // namespace ompcollect
