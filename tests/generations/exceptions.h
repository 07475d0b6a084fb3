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
};
// clang-format on
constexpr std::size_t kExceptionCount = sizeof(kExceptions) / sizeof(kExceptions[0]);

} // namespace ocb_test
