// SPDX-License-Identifier: Apache-2.0
//
// The report that a person reads: thread states, parallel regions, contended locks, totals.
#ifndef OMPCOLLECT_TEXT_REPORT_H
#define OMPCOLLECT_TEXT_REPORT_H

#include "profile.h"
#include "text_output.h"

namespace ompcollect {

void write_text_report(const Profile &profile, TextOutput &out);

} // namespace ompcollect

#endif
