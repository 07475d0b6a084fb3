// SPDX-License-Identifier: Apache-2.0
// The library's one voice: lines on stderr behind one prefix, written with write(2) from a stack
// buffer, each cause once per process. Never called from a signal handler. OCB_LOG sets the level.
#pragma once

namespace ocb {

enum class LogLevel { kOff, kError, kWarn, kInfo, kDebug };

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
    kGuestNotLoaded,
    kGuestAttached,
    kCount
};

// Writes "[omp-collector-bridge] LEVEL: part0part1part2...\n" if the level is on and the cause new.
// Parts may be null. Keeps errno.
void log_once(LogLevel level, LogCause cause, const char *part0, const char *part1 = nullptr,
              const char *part2 = nullptr, const char *part3 = nullptr,
              const char *part4 = nullptr);

} // namespace ocb
