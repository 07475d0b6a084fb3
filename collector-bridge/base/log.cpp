// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include "base/standard_error.h"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <initializer_list>

namespace ocb {
namespace {

struct LineRow {
    LogCause cause;
    LogLevel level;
    const char *text; // % is a part
};

// clang-format off
constexpr LineRow kLines[] = {
    {LogCause::kNoOmptRuntime, LogLevel::kError,
     "START refused: the program's OpenMP runtime has no tools interface: %; load libgomp-ompt.so in front of it (ompcollect does), or run the program on LLVM libomp (LD_PRELOAD=libomp.so.5)"},
    {LogCause::kToolDisabled, LogLevel::kError,
     "START refused: the OpenMP runtime takes no tool because OMP_TOOL=% is set; unset OMP_TOOL"},
    {LogCause::kOtherTool, LogLevel::kError,
     "START refused: another OMPT tool took the runtime's only place: %; load this library before it (first in LD_PRELOAD) or leave the other tool out"},
    {LogCause::kInitialisedEarlier, LogLevel::kError,
     "START refused: the OpenMP runtime was initialised before this library was loaded%; load it at program start%"},
    {LogCause::kSecondRuntime, LogLevel::kWarn,
     "a second OpenMP runtime in this process asked for a tool; only the first is observed. Make the program and its libraries use one OpenMP runtime"},
    {LogCause::kRefusedByRuntime, LogLevel::kError,
     "%; run the program on LLVM libomp 8 or later"},
    {LogCause::kBadOption, LogLevel::kWarn,
     "% is ignored: its value is not one of %; the default holds: %"},
    {LogCause::kStopTimedOut, LogLevel::kWarn,
     "a callback was still running on another thread one second after STOP or UNREGISTER; the collector must not unload its code before that callback ends"},
    {LogCause::kStarted, LogLevel::kInfo,
     "session started, %"},
    {LogCause::kAttached, LogLevel::kInfo,
     "attached to the OpenMP runtime: % (%)"},
    {LogCause::kDetached, LogLevel::kInfo,
     "the OpenMP runtime has ended"},
    {LogCause::kCallbackRefused, LogLevel::kWarn,
     "REGISTER refused: the callback is no address of code, for %"},
    {LogCause::kCallbackReplaced, LogLevel::kWarn,
     "% has registered its callback of % in the place of another library's, which gets no more of this event; let one of the two observe"},
    {LogCause::kClientToolNotLoaded, LogLevel::kWarn,
     "a client tool % %"},
    {LogCause::kClientToolAttached, LogLevel::kInfo,
     "a client tool runs beside the bridge"},
    {LogCause::kArcherLeftOut, LogLevel::kInfo,
     "ThreadSanitizer is in this process, and no libarcher.so in the search path; without it races are reported that are none: name it in OCB_TOOL_LIBRARIES"},
    {LogCause::kNoRuntimeYet, LogLevel::kInfo,
     "no OpenMP runtime is loaded yet; the first one with a tools interface will be attached"},
    {LogCause::kFirstRegistration, LogLevel::kDebug,
     "the first event is registered: %"},
    {LogCause::kPaused, LogLevel::kDebug,
     "paused: no events until RESUME"},
    {LogCause::kStopped, LogLevel::kInfo,
     "session stopped"},
    {LogCause::kControlPaused, LogLevel::kInfo,
     "the program's omp_control_tool has paused the session: no events until its next start or RESUME"},
    {LogCause::kControlEnded, LogLevel::kInfo,
     "the program's omp_control_tool has ended the session"},
    {LogCause::kControlIgnored, LogLevel::kDebug,
     "the program's omp_control_tool is ignored: no session runs"},
    {LogCause::kDeclined, LogLevel::kError,
     "START refused: the OpenMP runtime asked for a tool before, and OCB_ATTACH=started declined; start earlier or leave OCB_ATTACH out"},
    {LogCause::kNotExported, LogLevel::kError,
     "START refused: the program has this library inside and does not export %, by which the OpenMP runtime asks for its tool; link it with -rdynamic"},
    {LogCause::kUnknownBarrier, LogLevel::kWarn,
     "the OpenMP runtime reports barriers of kind %, which this library does not know; the wait in them is no event and no state. Take a newer version of this library"},
    {LogCause::kUnknownMutex, LogLevel::kWarn,
     "the OpenMP runtime reports mutexes of kind %, which this library does not know; the wait for them is no event and no state. Take a newer version of this library"},
    {LogCause::kReleasesEnded, LogLevel::kWarn,
     "the OpenMP runtime's first thread has ended, and it reports no release of a mutex without it: from here on whoever wants a mutex is taken to wait until he has it, and ordered regions are no events"},
    {LogCause::kRegionWithoutRecord, LogLevel::kWarn,
     "a parallel region gets no events and shows as the one around it: 65535 regions have a record at one time, or memory is short"},
    {LogCause::kTooManySuspended, LogLevel::kWarn,
     "a thread has more than 32 explicit tasks suspended inside each other; those beyond get no events of their suspension"},
    {LogCause::kTooManyLevels, LogLevel::kWarn,
     "a thread was inside of more than 32 parallel regions when it was first observed; the outer ones are not known"},
    {LogCause::kUnmarkedLoops, LogLevel::kInfo,
     "single constructs are no events: this program's compiler does not say which calls are loops, and the OpenMP runtime would print a warning (#189) if they were reported"},
};
// clang-format on
consteval bool lines_are_in_order() {
    int expected = 0;
    for (const LineRow &row : kLines) {
        if (static_cast<int>(row.cause) != expected++) {
            return false;
        }
    }
    return expected == static_cast<int>(LogCause::kCount);
}
static_assert(lines_are_in_order());

constinit StandardError standard_error;
constinit std::atomic<LogLevel> highest_level{kDefaultLogLevel};
constinit std::atomic<unsigned> written_causes{0};
static_assert(static_cast<int>(LogCause::kCount) <= 32);

constexpr const char *kLevelNames[] = {"off", "error", "warning", "info", "debug"};

class Line {
  public:
    void add(const char *text) { add(text, std::strlen(text)); }
    void add(const char *text, std::size_t length) {
        if (length > sizeof(buffer_) - 1 - used_) {
            length = sizeof(buffer_) - 1 - used_;
        }
        std::memcpy(buffer_ + used_, text, length);
        used_ += length;
    }
    void write_out() {
        buffer_[used_++] = '\n';
        standard_error.write(buffer_, used_);
    }

  private:
    char buffer_[768];
    std::size_t used_ = 0;
};

} // namespace

void log_once(LogCause cause, const char *part0, const char *part1, const char *part2) {
    const LineRow &row = kLines[static_cast<int>(cause)];
    if (row.level > highest_level.load(std::memory_order_relaxed)) {
        return;
    }
    const unsigned bit = 1U << static_cast<unsigned>(cause);
    if ((written_causes.fetch_or(bit, std::memory_order_relaxed) & bit) != 0) {
        return;
    }
    Line line;
    line.add("[omp-collector-bridge] ");
    line.add(kLevelNames[static_cast<int>(row.level)]);
    line.add(": ");
    const char *rest = row.text;
    for (const char *part : {part0, part1, part2}) {
        const std::size_t length = std::strcspn(rest, "%");
        line.add(rest, length);
        rest += length;
        if (*rest == '%') {
            line.add(part);
            ++rest;
        }
    }
    line.add(rest);
    line.write_out();
}

void set_log_level(LogLevel level) {
    highest_level.store(level, std::memory_order_relaxed);
}

void record_standard_error() {
    standard_error.note();
}

} // namespace ocb
