// SPDX-License-Identifier: Apache-2.0
//
// log_test.cpp - every line that the library can say, said in a real process: its exact text, which
// docs/DEBUGGING.md shows, at which level of OCB_LOG it comes. One row per LogCause. Folders of
// files are written as "...", in the rows and in the document.
#include "loading.h"
#include "openmp_test.h"

#include "base/log.h"
#include "base/options.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

namespace ocb_test {
namespace {

using ocb::LogCause;

const Runtime kClang{14, Compiler::kClang};
const Runtime kGcc{14, Compiler::kGcc};
constexpr const char *kNewerRuntime = "libocb-newer-runtime.so";

struct Line {
    LogCause cause;
    const char *text; // behind the prefix
    std::string folder;
    std::string program;
    Runtime runtime;
    std::vector<std::string> preload;
    std::map<std::string, std::string> environment;
    std::vector<std::string> arguments;
    bool without_libomp = false;
};

// clang-format off
const Line kLines[] = {
    {LogCause::kNoOmptRuntime,
     "error: START refused: the program's OpenMP runtime has no tools interface: .../libgomp.so.1; load libgomp-ompt.so in front of it (ompcollect does), or run the program on LLVM libomp (LD_PRELOAD=libomp.so.5)",
     kOfStartTests, "two_regions", kGcc, {kBridge, kCollector}, {}, {}, true},
    {LogCause::kToolDisabled,
     "error: START refused: the OpenMP runtime takes no tool because OMP_TOOL=disabled is set; unset OMP_TOOL",
     kOfStartTests, "two_regions", kClang, {kBridge, kCollector}, {{"OMP_TOOL", "disabled"}}, {}},
    {LogCause::kOtherTool,
     "error: START refused: another OMPT tool took the runtime's only place: .../libocb-other-tool.so; load this library before it (first in LD_PRELOAD) or leave the other tool out",
     kOfStartTests, "two_regions", kClang, {kOtherTool, kBridge, kCollector}, {}, {}},
    {LogCause::kInitialisedEarlier,
     "error: START refused: the OpenMP runtime was initialised before this library was loaded; load it at program start (LD_PRELOAD, OMP_TOOL_LIBRARIES or linking)",
     kOfStartTests, "late_load", kClang, {}, {}, {kBridge, kCollector}},
    {LogCause::kSecondRuntime,
     "warning: a second OpenMP runtime in this process asked for a tool; only the first is observed. Make the program and its libraries use one OpenMP runtime",
     kOwn, "second_runtime", kClang, {kBridge, kCollector}, {{"KMP_DUPLICATE_LIB_OK", "TRUE"}}, {OCB_TEST_LIBOMP_FOLDER "/19/lib/libomp.so.5"}},
    {LogCause::kRefusedByRuntime,
     "error: the OpenMP runtime's tools interface lacks a function that OpenMP 5.0 demands; run the program on LLVM libomp 8 or later",
     kOfStartTests, "no_openmp", kGcc, {"libocb-loading-runtime.so", kBridge, kCollector}, {}, {}, true},
    {LogCause::kBadOption,
     "warning: OCB_INIT is ignored: its value is not one of auto|force|lazy; the default holds: auto",
     kOfStartTests, "two_regions", kClang, {kBridge, kCollector}, {{"OCB_INIT", "maybe"}}, {}},
    {LogCause::kStopTimedOut,
     "warning: a callback was still running on another thread one second after STOP or UNREGISTER; the collector must not unload its code before that callback ends",
     kOwn, "odd_collector", kClang, {kBridge}, {}, {"slow"}},
    {LogCause::kStarted,
     "info: session started, no OpenMP runtime attached yet",
     kOfStartTests, "two_regions", kClang, {kBridge, kCollector}, {}, {}},
    {LogCause::kAttached,
     "info: attached to the OpenMP runtime: .../libomp.so.5 (LLVM OMP version: 5.0.20140926)",
     kOfStartTests, "two_regions", kClang, {kBridge, kCollector}, {}, {}},
    {LogCause::kDetached,
     "info: the OpenMP runtime has ended",
     kOfStartTests, "two_regions", kClang, {kBridge, kCollector}, {}, {}},
    {LogCause::kCallbackRefused,
     "warning: REGISTER refused: the callback is no address of code, for OMP_EVENT_FORK",
     kOwn, "odd_collector", kClang, {kBridge}, {}, {"data"}},
    {LogCause::kCallbackReplaced,
     "warning: .../odd_collector has registered its callback of OMP_EVENT_FORK in the place of another library's, which gets no more of this event; let one of the two observe",
     kOwn, "odd_collector", kClang, {kBridge, kCollector}, {}, {"over"}},
    {LogCause::kClientToolNotLoaded,
     "warning: a client tool cannot be loaded: .../libmissing.so: cannot open shared object file: No such file or directory",
     kOfStartTests, "two_regions", kClang, {kBridge, kCollector}, {{"OCB_TOOL_LIBRARIES", "/nonexistent/libmissing.so"}}, {}},
    {LogCause::kClientToolAttached,
     "info: a client tool runs beside the bridge",
     kOfStartTests, "two_regions", kClang, {kBridge, kCollector, kOtherTool}, {}, {}},
    {LogCause::kArcherLeftOut,
     "info: ThreadSanitizer is in this process, and no libarcher.so in the search path; without it races are reported that are none: name it in OCB_TOOL_LIBRARIES",
     kOwn, "sanitized", kGcc, {kBridge, kCollector}, {{"TSAN_OPTIONS", "report_bugs=0"}}, {}},
    {LogCause::kNoRuntimeYet,
     "info: no OpenMP runtime is loaded yet; the first one with a tools interface will be attached",
     kOfStartTests, "no_openmp", kGcc, {kBridge, kCollector}, {}, {}, true},
    {LogCause::kFirstRegistration,
     "debug: the first event is registered: OMP_EVENT_FORK",
     kOfStartTests, "two_regions", kClang, {kBridge, kCollector}, {}, {}},
    {LogCause::kPaused,
     "debug: paused: no events until RESUME",
     kOfStartTests, "pause", kClang, {kBridge, kCollector}, {}, {}},
    {LogCause::kStopped,
     "info: session stopped",
     kOfStartTests, "stop_start", kClang, {kBridge, kCollector}, {}, {}},
    {LogCause::kControlPaused,
     "info: the program's omp_control_tool has paused the session: no events until its next start or RESUME",
     kOwn, "control", kClang, {kBridge, kCollector}, {}, {}},
    {LogCause::kControlEnded,
     "info: the program's omp_control_tool has ended the session",
     kOwn, "control", kClang, {kBridge, kCollector}, {}, {}},
    {LogCause::kControlIgnored,
     "debug: the program's omp_control_tool is ignored: no session runs",
     kOwn, "control", kClang, {kBridge, kCollector}, {}, {}},
    {LogCause::kDeclined,
     "error: START refused: the OpenMP runtime asked for a tool before, and OCB_ATTACH=started declined; start earlier or leave OCB_ATTACH out",
     kOfStartTests, "start_between", kClang, {kBridge, kCollector}, {{"OCB_TEST_START", "program"}, {"OCB_ATTACH", "started"}}, {}},
    {LogCause::kNotExported,
     "error: START refused: the program has this library inside and does not export ompt_start_tool, by which the OpenMP runtime asks for its tool; link it with -rdynamic",
     kOwn, "embedded_unseen", kGcc, {}, {}, {}},
    {LogCause::kUnknownBarrier,
     "warning: the OpenMP runtime reports barriers of kind 99, which this library does not know; the wait in them is no event and no state. Take a newer version of this library",
     kOfStartTests, "no_openmp", kGcc, {kNewerRuntime, kBridge, kCollector}, {}, {}, true},
    {LogCause::kUnknownMutex,
     "warning: the OpenMP runtime reports mutexes of kind 98, which this library does not know; the wait for them is no event and no state. Take a newer version of this library",
     kOfStartTests, "no_openmp", kGcc, {kNewerRuntime, kBridge, kCollector}, {}, {}, true},
    {LogCause::kReleasesEnded,
     "warning: the OpenMP runtime's first thread has ended, and it reports no release of a mutex without it: from here on whoever wants a mutex is taken to wait until he has it, and ordered regions are no events",
     kOwn, "odd_collector", kGcc, {kBridge}, {}, {"first"}},
    {LogCause::kRegionWithoutRecord,
     "warning: a parallel region gets no events and shows as the one around it: 65535 regions have a record at one time, or memory is short",
     kOwn, "odd_collector", kClang, {kBridge}, {}, {"regions"}},
    {LogCause::kTooManySuspended,
     "warning: a thread has more than 32 explicit tasks suspended inside each other; those beyond get no events of their suspension",
     kOwn, "odd_collector", kClang, {kBridge}, {}, {"tasks"}},
    {LogCause::kTooManyLevels,
     "warning: a thread was inside of more than 32 parallel regions when it was first observed; the outer ones are not known",
     kOwn, "odd_collector", kClang, {kBridge}, {}, {"late"}},
    {LogCause::kUnmarkedLoops,
     "info: single constructs are no events: this program's compiler does not say which calls are loops, and the OpenMP runtime would print a warning (#189) if they were reported",
     kOwn, "unmarked_loop", kClang, {kBridge, kCollector}, {}, {}},
};
// clang-format on
constexpr int kLineCount = sizeof(kLines) / sizeof(kLines[0]);
static_assert(kLineCount == static_cast<int>(LogCause::kCount), "a cause without a row");

const std::string kPrefix = "[omp-collector-bridge] ";

// The library's lines without prefix, folders as "...".
std::vector<std::string> said(const Line &line, const std::string &log) {
    Options options;
    options.preload_only(line.preload);
    options.environment = line.environment;
    options.environment["OCB_LOG"] = log;
    options.arguments = line.arguments;
    options.without_libomp = line.without_libomp;
    const ProgramRun run = run_program(line.folder, line.program, line.runtime, options);
    EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    const std::regex folder("/.*/([^/]+)"); // with spaces in it, perhaps; a line names one file
    std::vector<std::string> lines;
    for (const std::string &text : lines_with_prefix(run.outcome.err, kPrefix)) {
        lines.push_back(std::regex_replace(text.substr(kPrefix.size()), folder, ".../$1"));
    }
    return lines;
}

// The levels of OCB_LOG as lines name them, in ascending order.
constexpr const char *kLevels[] = {"off", "error", "warn", "info", "debug"};

int level_of(const std::string &text) {
    for (int level = 1; level < 5; ++level) {
        if (text.rfind(kLevels[level], 0) == 0) {
            return level;
        }
    }
    return 0;
}

class LogLines : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Cause, LogLines, testing::Range(0, kLineCount));

TEST_P(LogLines, ComeWordForWordAtTheirLevel) {
    const Line &line = kLines[GetParam()];
    ASSERT_EQ(GetParam(), static_cast<int>(line.cause)) << "the rows are in the order of LogCause";
    const int level = level_of(line.text);
    ASSERT_NE(0, level) << line.text;

    std::vector<std::string> lines = said(line, kLevels[level]);
    EXPECT_EQ(1, std::count(lines.begin(), lines.end(), line.text))
        << line.text << "\n"
        << testing::PrintToString(lines);
    // Not below the level.
    lines = said(line, kLevels[level - 1]);
    EXPECT_EQ(0, std::count(lines.begin(), lines.end(), line.text));
}

std::string document_text(const char *path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST_P(LogLines, AreInTheDocument) {
    const Line &line = kLines[GetParam()];
    EXPECT_NE(std::string::npos,
              document_text(OCB_TEST_DEBUGGING).find("\n" + kPrefix + line.text + "\n"))
        << line.text << "\nis not a line of docs/DEBUGGING.md";
}

// And the other way round: the document shows nothing that is not said.
TEST(LogDocument, ShowsOnlyWhatIsSaid) {
    std::size_t found = 0;
    for (const std::string &shown : lines_with_prefix(document_text(OCB_TEST_DEBUGGING), kPrefix)) {
        ++found;
        EXPECT_TRUE(std::any_of(std::begin(kLines), std::end(kLines), [&shown](const Line &line) {
            return kPrefix + line.text == shown;
        })) << shown;
    }
    EXPECT_LE(static_cast<std::size_t>(kLineCount), found);
}

} // namespace
} // namespace ocb_test
