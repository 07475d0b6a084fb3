// SPDX-License-Identifier: Apache-2.0
//
// The report that a person reads: the run, time by state, threads, parallel regions, contended
// locks, events. Lines fit the width that is asked for.
#pragma once

#include "profile.h"
#include "text_output.h"

namespace ompcollect {

// How it is printed, and what only the launcher knows.
struct ReportStyle {
    unsigned width = 80;
    size_t rows = 0;                    // rows of each table; 0: a number that fits a screen
    bool all = false;                   // all rows, and each thread its own
    const char *how_it_ended = nullptr; // "killed by signal 9 (Killed)"; null: as the profile says
    const char *runtime_note = nullptr; // "in place of libgomp"
    const char *verdict = nullptr;      // whole lines that stand before the tables
    const char *const *warnings = nullptr; // sentences, each for itself
    size_t warning_count = 0;
    const char *call_tree = nullptr; // the same after the regions; null or empty: none
};

void write_text_report(const Profile &profile, TextOutput &out, const ReportStyle &style = {});

} // namespace ompcollect
