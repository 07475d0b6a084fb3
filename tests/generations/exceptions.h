// SPDX-License-Identifier: Apache-2.0
// Where a generation of OMPT lets the bridge say less, or more, than a program of the truth matrix
// says of itself. Everything else of the matrix holds on every generation. docs/GENERATIONS.md has
// this table; a test compares the two.
#pragma once

#include <cstddef>

namespace ocb_test {

struct Exception {
    const char *generation; // "5", "tr6", ..., or "tr2" for the three of before TR6
    const char *row;        // of tests/truth/rows.h; "*": all
    const char *said;       // what the program announces
    const char *holds;      // instead; "": the row is left out
    const char *reason;
};

// clang-format off
constexpr Exception kExceptions[] = {
    {"tr6", "test_lock", "", "", "an attempt and a wait are reported alike; on libomp the function that reports shows which it is"},
    {"tr6", "test_nest_lock", "", "", "an attempt and a wait are reported alike; on libomp the function that reports shows which it is"},
    {"tr6", "reduction_critical", "REDUC", "WORK", "no callback reports reductions"},
    {"tr6", "reduction_tree", "REDUC", "WORK", "no callback reports reductions"},
    {"5", "reduction_tree", "", "", "the program expects libomp's master, which combines after the reduction's events; the mini-runtime's combines between them"},
    {"tr2", "reduction_tree", "", "", "the program expects libomp's master, which combines after the reduction's events; the mini-runtime's combines between them"},
    {"tr2", "ordered_static", "any BEGIN_ODWT END_ODWT", "any BEGIN_ODWT? END_ODWT?", "no wait is reported where the turn has come already"},
    {"tr2", "ordered_dynamic", "any BEGIN_ODWT END_ODWT", "any BEGIN_ODWT? END_ODWT?", "no wait is reported where the turn has come already"},
    {"tr2", "doacross", "WORK", "any", "STATE asks the runtime here, whose state shows the wait; no event reports it"},
    {"5", "task_depend_if0", "", "", "the mini-runtime has no dependences: such a task runs at once"},
    {"5", "task_depend_taskwait", "", "", "the mini-runtime has no dependences: such a task runs at once"},
    {"tr6", "task_depend_if0", "", "", "the mini-runtime has no dependences: such a task runs at once"},
    {"tr6", "task_depend_taskwait", "", "", "the mini-runtime has no dependences: such a task runs at once"},
    {"tr2", "task_depend_if0", "", "", "the mini-runtime has no dependences: such a task runs at once"},
    {"tr2", "task_depend_taskwait", "", "", "the mini-runtime has no dependences: such a task runs at once"},
    {"tr2", "cancel_tasks", "", "", "a discarded task is reported like one that has run"},
    {"tr2, like libomp", "if0", "any FORK", "any", "no event: region and state are asked for"},
    {"tr2, like libomp", "if0", "any JOIN", "any", "no event: region and state are asked for"},
    {"tr2, like libomp", "if0", "WORK", "WORK @", "no event: region and state are asked for"},
    {"libomp 3.7 to 8.0", "*", "EBAR", "IBAR", "neither the report of a barrier nor the state shows that it is explicit"},
    {"libomp 3.7 to 9.0", "masked", "", "", "the entry is newer than the runtime"},
    {"libomp 3.7 to 9.0", "critical_hint_uncontended", "", "", "a crash without the bridge too: the compiler's hint is newer than the runtime"},
    {"libomp 3.7 to 3.7", "critical_hint", "", "", "the entry is newer than the runtime"},
    {"libomp 3.7 to 3.8", "doacross", "", "", "the entry is newer than the runtime"},
    {"libomp 3.7 to 3.8", "for_dynamic", "", "", "an abort without the bridge too: the compiler's schedule is newer than the runtime"},
    {"libomp 3.7 to 3.8", "for_guided", "", "", "an abort without the bridge too: the compiler's schedule is newer than the runtime"},
    {"libomp 3.7 to 3.8", "ordered_dynamic", "", "", "an abort without the bridge too: the compiler's schedule is newer than the runtime"},
    {"libomp 3.7 to 9.0", "reduction_critical", "REDUC", "WORK", "no callback reports reductions"},
    {"libomp 3.7 to 9.0", "reduction_tree", "", "", "no callback reports reductions: WORK, or the barrier around it"},
    {"libomp 3.7 to 9.0", "task_depend_if0", "OVHD", "WORK", "no callback and no state shows the wait"},
    {"libomp 3.7 to 9.0", "task_depend_taskwait", "OVHD", "WORK", "no callback and no state shows the wait"},
    {"libomp 3.7 to 5.0", "taskgroup", "OVHD", "WORK", "no callback and no state shows the wait"},
    {"libomp 3.7 to 3.7", "taskwait", "OVHD", "WORK", "no callback and no state shows the wait"},
    {"libomp 3.7 to 9.0", "league", "", "", "a league is reported as a region"},
    {"libomp 3.7 to 9.0", "league_of_two", "", "", "a league is reported as a region"},
    {"libomp 3.7 to 9.0", "league_default", "", "", "a league is reported as a region"},
    {"libomp 3.7 to 9.0", "league_of_one_team", "", "", "a league is reported as a region"},
    {"libomp 3.7 to 9.0", "league_region", "", "", "a league is reported as a region"},
    {"libomp 3.7 to 5.0", "critical", "CTWT BEGIN_CTWT END_CTWT", "LKWT", "no event; the state is that of a lock"},
    {"libomp 3.7 to 5.0", "critical_named", "CTWT BEGIN_CTWT END_CTWT", "LKWT", "no event; the state is that of a lock"},
    {"libomp 3.7 to 5.0", "critical_hint", "CTWT BEGIN_CTWT END_CTWT", "LKWT", "no event; the state is that of a lock"},
    {"libomp 3.7 to 5.0", "lock", "LKWT BEGIN_LKWT END_LKWT", "LKWT", "no event"},
    {"libomp 3.7 to 5.0", "lock_queuing", "LKWT BEGIN_LKWT END_LKWT", "LKWT", "no event"},
    {"libomp 3.7 to 5.0", "nest_lock", "LKWT BEGIN_LKWT END_LKWT", "LKWT", "no event"},
    {"libomp 3.7 to 5.0", "lock_anew", "LKWT BEGIN_LKWT END_LKWT", "LKWT", "no event"},
    {"libomp 3.7 to 5.0", "lock_tas", "LKWT BEGIN_LKWT END_LKWT", "WORK", "no event, and the state does not show this kind of lock"},
    {"libomp 3.7 to 5.0", "lock_futex", "LKWT BEGIN_LKWT END_LKWT", "WORK", "no event, and the state does not show this kind of lock"},
    {"libomp 3.7 to 5.0", "lock_ticket", "LKWT BEGIN_LKWT END_LKWT", "WORK", "no event, and the state does not show this kind of lock"},
    {"libomp 3.7 to 5.0", "nest_lock_tas", "LKWT BEGIN_LKWT END_LKWT", "WORK", "no event, and the state does not show this kind of lock"},
    {"libomp 3.7 to 5.0", "critical_tas", "CTWT BEGIN_CTWT END_CTWT", "WORK", "no event, and the state does not show this kind of lock"},
    {"libomp 3.7 to 5.0", "if0", "any FORK", "any", "no event: region and state are asked for"},
    {"libomp 3.7 to 5.0", "if0", "any JOIN", "any", "no event: region and state are asked for"},
    {"libomp 3.7 to 5.0", "if0", "WORK", "WORK @", "no event: region and state are asked for"},
    {"libomp 3.7 to 5.0", "if0_in_if0", "", "", "no events; its ids differ, which one row cannot hold"},
    {"libomp 3.7 to 5.0", "cancel_tasks", "", "", "a discarded task is reported like one that has run"},
};
// clang-format on
constexpr std::size_t kExceptionCount = sizeof(kExceptions) / sizeof(kExceptions[0]);

} // namespace ocb_test
