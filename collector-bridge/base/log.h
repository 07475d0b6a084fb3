// SPDX-License-Identifier: Apache-2.0
// The library's one voice: lines on stderr (standard_error.h) behind one prefix, written from a
// stack buffer, each cause once per process. One row of log.cpp per line: its level and its text.
// Never called from a signal handler. OCB_LOG sets the level. docs/DEBUGGING.md shows every line; a
// test compares the two.
#pragma once

#include <cstdint>

namespace ocb {

enum class LogLevel : std::uint8_t { kOff, kError, kWarn, kInfo, kDebug };
constexpr LogLevel kDefaultLogLevel = LogLevel::kWarn;

// One value for each line, so that it is written once.
enum class LogCause : std::uint8_t {
    kNoOmptRuntime,
    kToolDisabled,
    kOtherTool,
    kInitialisedEarlier,
    kSecondRuntime,
    kRefusedByRuntime,
    kBadOption,
    kStopTimedOut,
    kStarted,
    kAttached,
    kDetached,
    kCallbackRefused,
    kCallbackReplaced,
    kClientToolNotLoaded,
    kClientToolAttached,
    kArcherLeftOut,
    kNoRuntimeYet,
    kFirstRegistration,
    kPaused,
    kStopped,
    kControlPaused,
    kControlEnded,
    kControlIgnored,
    kDeclined,
    kNotExported,
    kUnknownBarrier,
    kUnknownMutex,
    kReleasesEnded,
    kRegionWithoutRecord,
    kTooManySuspended,
    kTooManyLevels,
    kUnmarkedLoops,
    kCount
};

// Writes "[omp-collector-bridge] LEVEL: TEXT\n" if the line's level is on and the cause new. Each %
// of the text is one of the parts, in their order. Keeps errno.
void log_once(LogCause cause, const char *part0 = "", const char *part1 = "",
              const char *part2 = "");

// By options.cpp, once OCB_LOG is read; until then lines of the default level are written.
void set_log_level(LogLevel level);

// Lines go to the file that descriptor 2 leads to now: at the library's first call.
void record_standard_error();

} // namespace ocb
