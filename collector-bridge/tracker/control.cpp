// SPDX-License-Identifier: Apache-2.0
// omp_control_tool: the program controls the session.
#include "tracker/tracker.h"

#include "base/log.h"
#include "base/options.h"
#include "events/session.h"

namespace ocb::tracker {
namespace {

enum Command : std::uint64_t {
    kControlStart = 1,
    kControlPause = 2,
    kControlFlush = 3,
    kControlEnd = 4,
};

} // namespace

// The program's omp_control_tool; its values are those of OpenMP 5.2, 18.14. The session is the
// collector's: where none runs, `start` does not begin one (there would be no callbacks to call),
// and after `end`, which turns monitoring off for good, only the collector's START begins another.
// Before the first START the runtime has no callback from us and answers itself (-1).
int control_tool(std::uint64_t command) {
    constexpr int kSuccess = 0, kIgnored = 1;
    if (!session::is_started()) {
        log_once(LogCause::kControlIgnored);
        return kIgnored;
    }
    switch (command) {
    case kControlStart:
        session::resume();
        return kSuccess;
    case kControlPause:
        session::pause();
        log_once(LogCause::kControlPaused);
        return kSuccess;
    case kControlFlush:
        return kSuccess;
    case kControlEnd:
        session::stop();
        log_once(LogCause::kControlEnded);
        return kSuccess;
    default:
        return kIgnored;
    }
}

bool wants_runtime() {
    return options().attach == AttachMode::kAlways ||
           session::start_has_come.load(std::memory_order_acquire);
}

void watch_forks() {
    session::watch_forks();
}

} // namespace ocb::tracker
