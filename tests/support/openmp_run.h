// SPDX-License-Identifier: Apache-2.0
//
// openmp_run.h - runs a test program on one libomp version, with the bridge and the fake collector
// preloaded, and reads the log. Nothing is searched for on the system: the libraries come from the
// build and from the folder of libomp versions, and verify_runtime() checks that they did.
#pragma once

#include "log.h"
#include "process.h"

#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace ocb_test {

enum class Compiler { kClang, kGcc };

struct Runtime {
    int libomp = 0; // 14, 19, ...
    Compiler compiler = Compiler::kClang;
    // Instead of a version: the folder with a libomp.so.5 of another make, and what to call it.
    const char *folder = nullptr;
    const char *name = nullptr;
};

// The oldest libomp in wide use and the newest, each as clang and as gcc drive it.
inline const Runtime kOldAndNew[] = {
    {14, Compiler::kClang}, {14, Compiler::kGcc}, {19, Compiler::kClang}, {19, Compiler::kGcc}};

// gcc's own runtime, with libgomp-ompt in front of it.
inline constexpr Runtime kLibgomp{0, Compiler::kGcc, nullptr, "libgomp"};

std::string name_of(Compiler compiler);
// "libomp14_clang", also for the names of parameterised tests.
std::string name_of(const Runtime &runtime);
void PrintTo(const Runtime &runtime, std::ostream *out);

// Names for LD_PRELOAD; all of them are found through LD_LIBRARY_PATH, because a path with a space
// cannot stand in LD_PRELOAD.
inline constexpr const char *kBridge = "libomp-collector-bridge.so";
inline constexpr const char *kCollector = "libocb-fake-collector.so";
inline constexpr const char *kSpy = "libocb-ompt-spy.so";
inline constexpr const char *kOtherTool = "libocb-other-tool.so";
inline constexpr const char *kLibomp = "libomp.so.5";
inline constexpr const char *kLibgompOmpt = "libgomp-ompt.so";

struct Options {
    std::vector<std::string> arguments;
    std::map<std::string, std::string> environment;
    // In the order of LD_PRELOAD. For a gcc-built program libomp goes in front of them, unless
    // without_libomp leaves it with the runtime that it was linked with.
    std::vector<std::string> preload = {kBridge, kCollector};
    bool without_libomp = false;
    int time_limit_s = 60;
};

struct ProgramRun {
    Outcome outcome;
    Log log; // not complete if no collector was there
};

// Runs FOLDER/clang/PROGRAM or FOLDER/gcc/PROGRAM, FOLDER being the programs' folder of the build.
ProgramRun run_program(const std::string &folder, const std::string &program,
                       const Runtime &runtime, const Options &options = {});

// The environment that run_program gives to its child, without OCB_TEST_LOG.
std::map<std::string, std::string> environment_for(const Runtime &runtime, const Options &options);

// Empty if the process had mapped the wanted libomp and no other; else what is wrong.
std::string verify_runtime(const ProgramRun &run, const Runtime &runtime);

} // namespace ocb_test
