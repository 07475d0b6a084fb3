// SPDX-License-Identifier: Apache-2.0
// The runtimes of each generation of OMPT that the tests run on: tests/mini-runtime, built once per
// generation, each exactly as its document says.
#pragma once

#include "openmp_run.h"

#include <string>

namespace ocb_test {

struct Generation {
    const char *name;     // of the folder of the mini-runtime, and in the names of tests
    const char *reported; // what the bridge calls it
    Runtime runtime;
};

#define OCB_MINI_RUNTIME(folder, reported)                                                         \
    {                                                                                              \
        folder, reported, {                                                                        \
            0, Compiler::kClang, OCB_MINI_RUNTIME_FOLDER "/" folder, folder                        \
        }                                                                                          \
    }
inline const Generation kGenerations[] = {
    OCB_MINI_RUNTIME("5", "OpenMP 5"),    OCB_MINI_RUNTIME("tr6", "TR6"),
    OCB_MINI_RUNTIME("tr2-001", "TR2"),   OCB_MINI_RUNTIME("tr2-000", "TR2 draft"),
    OCB_MINI_RUNTIME("2014", "TR2 2014"),
};
inline const Generation kRefusedGeneration = OCB_MINI_RUNTIME("tr4", "");
#undef OCB_MINI_RUNTIME

// The same for tests that know runtimes only (tests/integration); names without a dash.
#define OCB_MINI_RUNTIME(folder, name)                                                             \
    { 0, Compiler::kClang, OCB_MINI_RUNTIME_FOLDER "/" folder, name }
inline const Runtime kGenerationRuntimes[] = {
    OCB_MINI_RUNTIME("5", "5"),
    OCB_MINI_RUNTIME("tr6", "tr6"),
    OCB_MINI_RUNTIME("tr2-001", "tr2_001"),
    OCB_MINI_RUNTIME("tr2-000", "tr2_000"),
    OCB_MINI_RUNTIME("2014", "2014"),
};
#undef OCB_MINI_RUNTIME

// For the names of tests: "tr2-001" -> "tr2_001".
inline std::string test_name(const Generation &generation) {
    std::string name = generation.name;
    for (char &c : name)
        if (c == '-')
            c = '_';
    return name;
}

inline void PrintTo(const Generation &generation, std::ostream *out) {
    *out << generation.name;
}

} // namespace ocb_test
