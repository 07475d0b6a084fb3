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
    const char *said;       // by the program
    const char *holds;      // instead; "": the row is left out
    const char *reason;
};

// clang-format off
constexpr Exception kExceptions[] = {
    {"tr6", "test_lock", "", "", "an attempt and a wait are told alike; libomp's are told apart by the function that tells of them"},
    {"tr6", "test_nest_lock", "", "", "as above"},
    {"tr6", "reduction_critical", "REDUC", "WORK", "there is no callback for reductions"},
    {"tr6", "reduction_tree", "REDUC", "WORK", "as above"},
    {"5", "reduction_tree", "", "", "the mini-runtime's master does all the combining inside the reduction, which the program knows of libomp not to be so"},
    {"tr2", "reduction_tree", "", "", "as above"},
    {"tr2", "ordered_static", "any BEGIN_ODWT END_ODWT", "any BEGIN_ODWT? END_ODWT?", "who finds that the turn has come does not wait, and is not said to"},
    {"tr2", "ordered_dynamic", "any BEGIN_ODWT END_ODWT", "any BEGIN_ODWT? END_ODWT?", "as above"},
    {"tr2", "doacross", "WORK", "any", "the thread's state, which is asked here, shows the wait that no event tells of"},
    {"5", "task_depend_if0", "", "", "the mini-runtime has no dependences: such a task runs at once"},
    {"5", "task_depend_taskwait", "", "", "as above"},
    {"tr6", "task_depend_if0", "", "", "as above"},
    {"tr6", "task_depend_taskwait", "", "", "as above"},
    {"tr2", "task_depend_if0", "", "", "as above"},
    {"tr2", "task_depend_taskwait", "", "", "as above"},
    {"tr2", "cancel_tasks", "", "", "a task that is thrown away is reported like one that has run"},
};
// clang-format on
constexpr std::size_t kExceptionCount = sizeof(kExceptions) / sizeof(kExceptions[0]);

} // namespace ocb_test
