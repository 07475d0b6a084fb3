// SPDX-License-Identifier: Apache-2.0
//
// openmp_run.h - runs a test program on one runtime, in one way, and reads the fake collector's
// log. Nothing is searched for on the system: the libraries come from the build and from the folder
// of libomp versions, and verify_runtime() checks that they did.
#pragma once

#include "log.h"
#include "process.h"
#include "way.h"

#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ocb_test {

enum class Compiler { kClang, kGcc };

// What a program runs on, and the way in which it is started there.
struct Runtime {
    int libomp = 0; // 14, 19, ...; 0: gcc's own, libgomp
    Compiler compiler = Compiler::kClang;
    // Instead of a version: the folder with a libomp.so.5 of another make, and what to call it. The
    // launcher's default way is none for these.
    const char *folder = nullptr;
    const char *name = nullptr;
    Way way = kDefaultWay;
};

// gcc's own runtime, with libgomp-ompt in front of it.
inline constexpr Runtime kLibgomp{0, Compiler::kGcc};

// Without the folder compat/ there is no libgomp-ompt.
#ifdef OCB_TEST_HAS_LIBGOMP_OMPT
inline constexpr bool kHasLibgomp = true;
#else
inline constexpr bool kHasLibgomp = false;
#endif

// The oldest libomp in wide use and the newest, each as clang and as gcc drive it, and libgomp. In
// the default way.
inline const Runtime kOldAndNew[] = {{14, Compiler::kClang},
                                     {14, Compiler::kGcc},
                                     {19, Compiler::kClang},
                                     {19, Compiler::kGcc},
#ifdef OCB_TEST_HAS_LIBGOMP_OMPT
                                     kLibgomp
#endif
};

// Those of them that are libomp.
std::vector<Runtime> libomp_runtimes();

// With the bare bridge, and in both ways: the first column of a matrix, and the second.
Runtime bare(Runtime runtime);
std::vector<Runtime> in_both_ways(const std::vector<Runtime> &runtimes);
std::vector<Runtime> in_both_ways(); // kOldAndNew

bool is_libgomp(const Runtime &runtime);

std::string name_of(Compiler compiler);
// "libomp14_clang", "libomp14_clang_bare", also for the names of parameterised tests.
std::string name_of(const Runtime &runtime);
void PrintTo(const Runtime &runtime, std::ostream *out);

// Names for LD_PRELOAD; all of them are found through LD_LIBRARY_PATH, because a path with a space
// cannot stand in LD_PRELOAD.
inline constexpr const char *kBridge = "libomp-collector-bridge.so";
inline constexpr const char *kCollector = "libocb-fake-collector.so";
inline constexpr const char *kSpy = "libocb-ompt-spy.so";
inline constexpr const char *kOtherTool = "libocb-other-tool.so";
inline constexpr const char *kFront = "libomp-collector-front.so";
inline constexpr const char *kLibomp = "libomp.so.5";
inline constexpr const char *kLibgompOmpt = "libgomp-ompt.so";

struct Options {
    std::vector<std::string> arguments;
    std::map<std::string, std::string> environment;
    // Beside the bridge; empty: none with the bare bridge, and the launcher's own under it.
    std::string collector = kCollector;
    // What the user has in LD_PRELOAD: before all that is put there.
    std::vector<std::string> preloaded_before;

    // A test that is about the preloaded libraries themselves names them, in their order; then the
    // runtime's way does not matter. For a gcc-built program libomp goes in front of them, unless
    // without_libomp leaves it with the runtime that it was linked with.
    void preload_only(std::vector<std::string> libraries) { preload = std::move(libraries); }
    std::optional<std::vector<std::string>> preload;
    bool has_front = false; // before all others, libomp too
    bool without_libomp = false;
    int time_limit_s = 600;
};

struct ProgramRun {
    Outcome outcome;
    Log log; // not complete if no collector was there
};

// Runs FOLDER/clang/PROGRAM or FOLDER/gcc/PROGRAM, FOLDER being the programs' folder of the build.
ProgramRun run_program(const std::string &folder, const std::string &program,
                       const Runtime &runtime, const Options &options = {});

// The environment that run_program gives to this program, a path, without OCB_TEST_LOG.
std::map<std::string, std::string> environment_for(const std::string &program,
                                                   const Runtime &runtime, const Options &options);

// The collector does nothing until the program asks for it: for programs with a session of their
// own.
Options with_idle_collector(Options options = {});

// Empty if the process had mapped the wanted libomp and no other; else what is wrong.
std::string verify_runtime(const ProgramRun &run, const Runtime &runtime);

} // namespace ocb_test
