// SPDX-License-Identifier: Apache-2.0
//
// The report of a process that runs without the launcher: to stderr, at exit.
#ifndef OMPCOLLECT_OWN_REPORT_H
#define OMPCOLLECT_OWN_REPORT_H

namespace ompcollect {

void print_own_report();

} // namespace ompcollect

#endif
