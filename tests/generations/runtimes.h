// SPDX-License-Identifier: Apache-2.0
// The runtimes of each generation of OMPT that the tests run on: tests/mini-runtime, built once per
// generation, each exactly as its document says.
#pragma once

#include "openmp_run.h"

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ocb_test {

struct Generation {
    const char *name;     // of the folder of the mini-runtime, and in the names of tests
    const char *reported; // what the bridge calls it
    Runtime runtime;
    const char *manner = nullptr; // MINI_OMP_MANNER
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
// The mini-runtime in the manner of libomp 3.8 to 5.0, 3.7 and 6.
inline const Generation kMannered[] = {
    {"tr2-001-libomp",
     "TR2",
     {0, Compiler::kClang, OCB_MINI_RUNTIME_FOLDER "/tr2-001", "tr2_001_libomp"},
     "libomp"},
    {"2014-libomp",
     "TR2 2014",
     {0, Compiler::kClang, OCB_MINI_RUNTIME_FOLDER "/2014", "2014_libomp"},
     "libomp"},
    {"tr6-libomp",
     "TR6",
     {0, Compiler::kClang, OCB_MINI_RUNTIME_FOLDER "/tr6", "tr6_libomp"},
     "libomp"},
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

// Old versions of libomp, for whoever has built some: OCB_OLD_LIBOMP names a folder that has 37,
// 38,
// ... in it, each with lib/libomp.so.5. Their generations are called "libomp37", "libomp38", ...
inline const std::vector<Generation> &old_libomps() {
    static std::deque<std::string> texts;
    static const std::vector<Generation> kFound = [] {
        const std::pair<const char *, const char *> versions[] = {
            {"37", "TR2 2014"}, {"38", "TR2"},      {"39", "TR2"},
            {"40", "TR2"},      {"50", "TR2"},      {"60", "TR6"},
            {"70", "TR6"},      {"80", "OpenMP 5"}, {"90", "OpenMP 5"},
        };
        std::vector<Generation> generations;
        const char *folder = std::getenv("OCB_OLD_LIBOMP");
        for (const auto &[version, reported] : versions) {
            const std::string library =
                std::string(folder != nullptr ? folder : "") + "/" + version + "/lib";
            if (folder == nullptr || !std::filesystem::exists(library)) {
                continue;
            }
            const char *name = texts.emplace_back(std::string("libomp") + version).c_str();
            const char *path = texts.emplace_back(library).c_str();
            generations.push_back({name, reported, {0, Compiler::kClang, path, name}});
        }
        return generations;
    }();
    return kFound;
}

// For the names of tests: "tr2-001" -> "tr2_001".
inline std::string test_name(const Generation &generation) {
    std::string name = generation.name;
    for (char &c : name) {
        if (c == '-') {
            c = '_';
        }
    }
    return name;
}

inline void PrintTo(const Generation &generation, std::ostream *out) {
    *out << generation.name;
}

} // namespace ocb_test
