// SPDX-License-Identifier: Apache-2.0
//
// The one table of what the kernel counts of each thread from its begin on. A row has: the name, in
// files and in the code; words for people; the heading of its column; how the line begins in the
// kernel's file of the thread (/proc/PID/task/TID/status), which is read while it runs; the member
// of struct rusage, which is asked at its end. The live tables, the collector, the model, the file
// of a run and the page are made by this table. A new count is a row here, one in
// docs/run.schema.json, and what the screen shows of it.
#pragma once

// clang-format off
#define OMPCOLLECT_THREAD_COUNTS(COUNT)                                                                 \
    COUNT(voluntary_switches, "switches of context because it waited", "waited",                         \
          "voluntary_ctxt_switches:", ru_nvcsw)                                                          \
    COUNT(involuntary_switches, "switches of context because others wanted the processor", "preempted",  \
          "nonvoluntary_ctxt_switches:", ru_nivcsw)
// clang-format on

namespace ompcollect {

struct ThreadCountRow {
    const char *name;
    const char *about;
    const char *heading;
    const char *line; // with the newline before it: one name ends as another one
};
inline constexpr ThreadCountRow kThreadCountTable[] = {
#define OMPCOLLECT_ROW(name, about, heading, line, member) {#name, about, heading, "\n" line},
    OMPCOLLECT_THREAD_COUNTS(OMPCOLLECT_ROW)
#undef OMPCOLLECT_ROW
};
inline constexpr unsigned kThreadCounts = sizeof kThreadCountTable / sizeof *kThreadCountTable;

} // namespace ompcollect
