// SPDX-License-Identifier: Apache-2.0
//
// No lock of ours reaches a child of fork(). A thread is held at the very instruction by which it
// has taken a lock, and another one forks: the child must get along. The table of
// docs/ROBUSTNESS.md has every lock that the sources have, and each of its rows is a test here.
#include "rate_here.h"
#include "thread_slots.h"
#include "tracer.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

constexpr char kPreload[] = "libompcollect-preload.so";
constexpr char kCollector[] = "libompcollect-default.so";
constexpr char kBridge[] = "libomp-collector-bridge.so";
constexpr char kGompOmpt[] = "libomp-collector-front.so"; // as the kernel names the file

constexpr char kLibomp[] = OCB_TEST_LIBOMPS "/14/lib";
constexpr char kOldRuntime[] = OCB_TEST_MINI_RUNTIMES "/tr2-001";

using Variables = std::map<std::string, std::string>;

struct HeldLock {
    const char *variable; // as the table has it
    const char *source;
    const char *act; // of programs/held.c
    LockWord word;
    Variables environment = {};
    const char *compiler = "clang";
    const char *runtime = kLibomp;
};

// The place of a variable in the unnamed namespace of ours.
std::string in_collector(const char *name) {
    return std::string("_ZN10ompcollect12_GLOBAL__N_1") + name + "E";
}
constexpr unsigned kGrowing = 12; // its place in a RowIndex

// The bridge is there from the beginning, not only once the runtime is asked for.
const Variables kWithBridge = {
    {"LD_PRELOAD", "libompcollect-preload.so libomp-collector-bridge.so"},
    {"OCB_INIT", "lazy"},
    {"OCB_LOG", "off"}};
const Variables kOnGomp = {{"LD_PRELOAD", "libompcollect-preload.so libgomp-ompt.so"}};
// Both processes print what the start of the tool found.
const Variables kOnGompVerbose = {{"LD_PRELOAD", "libompcollect-preload.so libgomp-ompt.so"},
                                  {"OMP_TOOL_VERBOSE_INIT", "stderr"}};
const Variables kWithClient = {{"OCB_TOOL_LIBRARIES", "libocb-recorder.so"},
                               {"OCB_CHAIN_LOG", "/dev/null"}};

const HeldLock kLocks[] = {
    // The preloaded part.
    {"program_lock",
     "preload/program_signal.cpp",
     "signals",
     {kPreload, "", in_collector("12program_lock")}},
    {"collector_loading",
     "preload/preload.cpp",
     "load",
     {kPreload, "", in_collector("17collector_loading")}},
    // The collector.
    {"current_stage",
     "system/own_process.h",
     "begin",
     {kCollector, "", in_collector("11file_header"), 0, 8}},
    {"ended_list",
     "threads/thread_slots.cpp",
     "region",
     {kCollector, "", in_collector("10ended_list")}},
    {"growing",
     "store/store.cpp",
     "begin",
     {kCollector, "store.cpp", in_collector("7growing"), 0, 1}},
    {"index", "store/cells.cpp", "begin", {kCollector, "", in_collector("5index"), kGrowing, 1}},
    {"locations",
     "stacks/call_tree.cpp",
     "begin",
     {kCollector, "", in_collector("9locations"), kGrowing, 1}},
    {"nodes",
     "stacks/call_tree.cpp",
     "begin",
     {kCollector, "", in_collector("5nodes"), kGrowing, 1}},
    {"texts",
     "python/python_text.cpp",
     "begin",
     {kCollector, "", in_collector("5texts"), kGrowing, 1}},
    {"codes",
     "python/python_text.cpp",
     "begin",
     {kCollector, "", in_collector("5codes"), kGrowing, 1}},
    {"locks",
     "regions/lock_table.cpp",
     "begin",
     {kCollector, "", in_collector("5locks"), kGrowing, 1}},
    {"holders",
     "regions/lock_table.cpp",
     "begin",
     {kCollector, "", in_collector("7holders"), kGrowing, 1}},
    {"refreshing",
     "store/module_map.cpp",
     "open",
     {kCollector, "", in_collector("10refreshing"), 0, 1}},
    {"flushing",
     "store/sample_log.cpp",
     "samples",
     {kCollector, "", in_collector("8flushing"), 0, 1}},
    {"is_kept",
     "sampling/sampling_thread.cpp",
     "samples",
     {kCollector, "", in_collector("9slot_list"), offsetof(ompcollect::ThreadSlot, is_kept), 1,
      true}},
    {"dl_iterate_phdr",
     "base/object_list.cpp",
     "open",
     {kCollector, "", in_collector("12module_count"), 0, 4}},
    // The bridge.
    {"control",
     "events/session.cpp",
     "control",
     {kBridge, "", "_ZN3ocb7session12_GLOBAL__N_17controlE"}},
    {"registering",
     "attachment/attachment.cpp",
     "control",
     {kBridge, "", "_ZN3ocb4ompt12_GLOBAL__N_111registeringE"}},
    {"read_lock",
     "base/options.cpp",
     "load",
     {kBridge, "", "_ZN3ocb12_GLOBAL__N_19read_lockE"},
     kWithBridge},
    {"adding",
     "base/kept_text.cpp",
     "load",
     {kBridge, "", "_ZN3ocb12_GLOBAL__N_16addingE"},
     kWithBridge},
    {"pool",
     "records/region.cpp",
     "region",
     {kBridge, "region.cpp", "_ZN3ocb12_GLOBAL__N_14poolE"}},
    {"records",
     "records/thread_record.cpp",
     "region",
     {kBridge, "thread_record.cpp", "_ZN3ocb12_GLOBAL__N_17recordsE"}},
    {"implicit_tasks",
     "records/thread_record.cpp",
     "region",
     {kBridge, "", "_ZN3ocb12_GLOBAL__N_114implicit_tasksE"}},
    {"task_records",
     "ompt5/client_data.cpp",
     "tasks",
     {kBridge, "", "_ZN3ocb5ompt59multiplex12_GLOBAL__N_112task_recordsE"},
     kWithClient},
    {"regions_of_tasks",
     "ompt5/own_threads.cpp",
     "hidden",
     {kBridge, "", "_ZN3ocb5ompt511own_threads12_GLOBAL__N_116regions_of_tasksE", 2048}},
    {"regions",
     "tr2/ids.cpp",
     "region",
     {kBridge, "", "_ZN3ocb8ompt_tr27regionsE", 8192},
     {},
     "clang",
     kOldRuntime},
    {"tasks",
     "tr2/ids.cpp",
     "tasks",
     {kBridge, "", "_ZN3ocb8ompt_tr25tasksE", 0x20000},
     {},
     "clang",
     kOldRuntime},
    // libgomp-ompt.
    {"threads_lock",
     "records/threads.cpp",
     "region",
     {kGompOmpt, "", "_ZN3ocb4gomp12_GLOBAL__N_112threads_lockE"},
     kOnGomp,
     "gcc"},
    {"lock",
     "tool/start.cpp",
     "first",
     {kGompOmpt, "start.cpp", "_ZN3ocb4gomp12_GLOBAL__N_14lockE"},
     kOnGompVerbose,
     "gcc"},
    {"lock",
     "constructs/detach.cpp",
     "detach",
     {kGompOmpt, "detach.cpp", "_ZN3ocb4gomp12_GLOBAL__N_14lockE"},
     kOnGomp,
     "gcc"},
    // The front, where calls are left to libgomp.
    {"lock",
     "front/binder.cpp",
     "first",
     {kGompOmpt, "binder.cpp", "_ZN3ocb5front12_GLOBAL__N_14lockE"},
     {{"LD_PRELOAD", "libomp-collector-front.so libompcollect-preload.so"},
      {"OMP_TOOL", "disabled"}},
     "gcc"},
};

void PrintTo(const HeldLock &lock, std::ostream *out) {
    *out << lock.variable << " in " << lock.source;
}

std::string test_name(const testing::TestParamInfo<HeldLock> &row) {
    const std::string name = std::string(row.param.variable) + "_" + row.param.source;
    return std::regex_replace(name, std::regex("[^A-Za-z0-9]+"), "_");
}

class HeldLocks : public testing::TestWithParam<HeldLock> {};
INSTANTIATE_TEST_SUITE_P(Fork, HeldLocks, testing::ValuesIn(kLocks), test_name);

// Some virtual machines accept a watchpoint and never report it.
bool machine_reports_watchpoints() {
    static volatile int word = 0;
    const pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        raise(SIGSTOP);
        word = 1;
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    constexpr unsigned long kFourBytesWritten = 1UL | 1UL << 16 | 3UL << 18;
    ptrace(PTRACE_POKEUSER, child, offsetof(user, u_debugreg[0]), &word);
    ptrace(PTRACE_POKEUSER, child, offsetof(user, u_debugreg[7]), kFourBytesWritten);
    ptrace(PTRACE_CONT, child, nullptr, nullptr);
    waitpid(child, &status, 0);
    const bool is_reported = WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
    if (is_reported) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    return is_reported;
}

Outcome fork_while_held(const HeldLock &lock) {
    const TemporaryFolder folder;
    Command command;
    command.arguments = {std::string(OCB_TEST_PROGRAMS "/") + lock.compiler + "/held", lock.act};
    command.environment = {{"LD_LIBRARY_PATH", std::string(OCB_TEST_LIB_FOLDER ":") + lock.runtime},
                           {"LD_PRELOAD", kPreload},
                           {"OMPCOLLECT_RATE", rate_here("1000")},
                           {"OMP_MAX_ACTIVE_LEVELS", "1000"},
                           {"OMPCOLLECT_PROFILE_DIR", folder.file("")}};
    for (const auto &[name, value] : lock.environment) {
        command.environment[name] = value;
    }
    return trace_and_hold(command, lock.word);
}

TEST_P(HeldLocks, DoNotReachTheChild) {
    if (static const bool kCanHold = machine_reports_watchpoints(); !kCanHold) {
        GTEST_SKIP() << "this machine accepts watchpoints and reports none";
    }
    const HeldLock &lock = GetParam();
    Outcome outcome = fork_while_held(lock);
    if (outcome.out.starts_with("held 0") && !has_fine_timers_here()) {
        GTEST_SKIP() << "without a rate above the kernel's tick the lock is taken before main()";
    }
    // Where who waits for the lock gives up, the child ends well with a lock that nobody frees.
    if (const auto &environment = lock.environment;
        environment.find("OMP_TOOL_VERBOSE_INIT") != environment.end()) {
        const std::string line = "the tool is initialised\n";
        const std::size_t first = outcome.err.find(line);
        ASSERT_NE(std::string::npos, first) << outcome.err;
        EXPECT_NE(std::string::npos, outcome.err.find(line, first + 1)) << outcome.err;
        outcome.err.clear();
    }
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.out, "held 1\nchild code 0\nparent ends\n") << outcome.describe();
    EXPECT_EQ(outcome.err, "");
}

// "variable file"
using Names = std::set<std::string>;

Names names_of_tests() {
    Names names;
    for (const HeldLock &lock : kLocks) {
        names.insert(std::string(lock.variable) + " " + lock.source);
    }
    return names;
}

Names names_of_document() {
    std::ifstream document(OCB_TEST_SOURCES "/docs/ROBUSTNESS.md");
    Names names;
    bool is_inside = false;
    const std::regex row(R"(\| `(\w+)` \| `([^`]+)` \| .*)");
    for (std::string line; std::getline(document, line);) {
        is_inside = line.starts_with("#") ? line == "## Locks and fork()" : is_inside;
        std::smatch parts;
        if (is_inside && std::regex_match(line, parts, row)) {
            const fs::path path = parts[2].str();
            names.insert(parts[1].str() + " " +
                         (path.parent_path().filename() / path.filename()).string());
        }
    }
    return names;
}

// What the sources define in the ways in which locks of ours are made.
Names names_of_sources() {
    const std::regex ways[] = {
        std::regex(R"(constinit (?:ocb::)?Lock (\w+);)"),
        std::regex(R"(constinit pthread_(?:mutex|rwlock|spinlock)_t (\w+))"),
        std::regex(R"(constinit (?:\w+::)?(?:Pool|IdTable|RowIndex)<[^>]*> (\w+);)"),
        std::regex(R"((\w+)\.exchange\(true, std::memory_order_acquire\))"),
    };
    Names names;
    for (const char *folder :
         {"collector-bridge", "ompt-backend", "compat/libgomp-ompt", "compat/front", "compat/names",
          "compat/ompcollect/collector", "compat/ompcollect/preload"}) {
        for (const auto &entry :
             fs::recursive_directory_iterator(fs::path(OCB_TEST_SOURCES) / folder)) {
            std::ifstream source(entry.path());
            const bool is_source = entry.path().extension() == ".cpp";
            for (std::string line; is_source && std::getline(source, line);) {
                for (const std::regex &way : ways) {
                    std::smatch parts;
                    if (std::regex_search(line, parts, way)) {
                        const fs::path &path = entry.path();
                        names.insert(parts[1].str() + " " +
                                     (path.parent_path().filename() / path.filename()).string());
                    }
                }
            }
        }
    }
    return names;
}

TEST(HeldLocksTable, HasATestForEachRow) {
    EXPECT_EQ(names_of_document(), names_of_tests());
}

TEST(HeldLocksTable, HasEveryLockOfTheSources) {
    const Names known = names_of_document();
    const Names there = names_of_sources();
    EXPECT_GT(there.size(), 20U);
    for (const std::string &name : there) {
        EXPECT_TRUE(known.contains(name)) << name;
    }
}

} // namespace
} // namespace ocb_test
