// SPDX-License-Identifier: Apache-2.0
// The library's one voice: lines on stderr behind one prefix, written with write(2) from a stack
// buffer, each cause once per process. Never called from a signal handler. OCB_LOG sets the level,
// for all categories or for some. docs/DEBUGGING.md shows every line; a test compares the two.
#pragma once

namespace ocb {

enum class LogLevel { kOff, kError, kWarn, kInfo, kDebug };

// What a line is about, in the order in which the row of OCB_LOG names them.
enum class LogCategory { kOptions, kRuntime, kSession, kControl, kTool, kCount };

// One value for each thing that can be said, so that it is said once.
enum class LogCause {
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
    kClientToolNotLoaded,
    kClientToolAttached,
    kNoRuntimeYet,
    kFirstRegistration,
    kPaused,
    kStopped,
    kControlPaused,
    kControlEnded,
    kControlIgnored,
    kCount
};

LogCategory category_of(LogCause cause);

// Writes "[omp-collector-bridge] LEVEL: part0part1part2...\n" if the level is on for the cause's
// category and the cause new. Parts may be null. Keeps errno.
void log_once(LogLevel level, LogCause cause, const char *part0, const char *part1 = nullptr,
              const char *part2 = nullptr, const char *part3 = nullptr,
              const char *part4 = nullptr);

} // namespace ocb
