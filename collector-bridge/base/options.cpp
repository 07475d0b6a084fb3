// SPDX-License-Identifier: Apache-2.0
#include "base/options.h"

#include "base/compiler.h"
#include "base/lock.h"
#include "base/once_flag.h"
#include "omp_collector_bridge.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <pthread.h>

namespace ocb {

constinit Options options_read;

namespace {

// In the order of the rows below.
enum OptionIndex {
    kInit,
    kAttach,
    kIdleEvents,
    kWaitEvents,
    kObserve,
    kLog,
    kToolLibraries,
    kUserOptionCount, // what follows is for tests and in no user's table
    kFirstRegionId = kUserOptionCount,
    kOptionCount
};

constexpr omp_collector_bridge_option kRows[] = {
    {"OCB_INIT", "auto|force|lazy", "auto",
     "auto: a runtime is left alone until the program uses it, where START's answer is final all "
     "the same (LLVM's family); force: START makes a loaded runtime initialise; lazy: never."},
    {"OCB_ATTACH", "always|started", "always",
     "always: a runtime that asks for a tool gets the bridge, so that START may come later; "
     "started: "
     "only where START has come by then, and otherwise the program runs as without the bridge, and "
     "a later START is refused."},
    {"OCB_IDLE_EVENTS", "prompt|deferred", "prompt",
     "prompt: a worker that reaches the end of a region delivers BEGIN_IBAR, END_IBAR and "
     "BEGIN_IDLE there; deferred: END_IBAR and BEGIN_IDLE come when the runtime reports them, on "
     "libomp at the worker's next region."},
    {"OCB_WAIT_EVENTS", "contended|all", "contended",
     "contended: LKWT, CTWT and ATWT events only where the mutex is held by another thread; all: "
     "for every acquisition."},
    {"OCB_OBSERVE", "all|registered", "all",
     "all: what STATE rests on is observed from START on; registered: a collector of events pays "
     "for those that it registers alone; the first STATE adds the rest (waits that have begun by "
     "then may be misnamed)."},
    {"OCB_LOG", "off|error|warn|info|debug", "warn",
     "How much the library writes to stderr; each line is written once."},
    {"OCB_TOOL_LIBRARIES", "path[:path...]", "none",
     "Libraries with an OMPT client tool, which gets a full session beside the bridge. The first "
     "that has one for the runtime is taken."},
    // Not for users: how does a collector handle large ids?
    {"OCB_FIRST_REGION_ID", "1..2^40", "1",
     "The id of the first parallel region (to test how a collector handles large ids)."},
};
static_assert(std::size(kRows) == kOptionCount);

constinit std::atomic<bool> is_read{false};
constinit Lock read_lock;
constinit OnceFlag forks_are_watched{0};

// The position of `text` among the alternatives "a|b|c", or -1.
int alternative(const char *alternatives, const char *text, std::size_t length) {
    int index = 0;
    for (const char *at = alternatives;; ++index) {
        const std::size_t size = std::strcspn(at, "|");
        if (size == length && std::memcmp(at, text, length) == 0) {
            return index;
        }
        at += size;
        if (*at != '|') {
            return -1;
        }
        ++at;
    }
}

struct BadOption {
    const omp_collector_bridge_option *row = nullptr;
    const char *text = nullptr;
};

void parse(OptionIndex index, const char *text, Options &into, BadOption &bad) {
    const omp_collector_bridge_option &row = kRows[index];
    const int choice = alternative(row.values, text, std::strlen(text));
    bool good = choice >= 0;
    switch (index) {
    case kInit:
        into.init = choice == 1   ? InitMode::kForce
                    : choice == 2 ? InitMode::kLazy
                                  : InitMode::kAuto;
        break;
    case kAttach:
        into.attach = choice == 1 ? AttachMode::kStarted : AttachMode::kAlways;
        break;
    case kIdleEvents:
        into.idle_events = choice == 1 ? IdleEvents::kDeferred : IdleEvents::kPrompt;
        break;
    case kWaitEvents:
        into.wait_events = choice == 1 ? WaitEvents::kAll : WaitEvents::kContended;
        break;
    case kObserve:
        into.observe = choice == 1 ? Observe::kRegistered : Observe::kAll;
        break;
    case kLog:
        if (good) {
            into.log_level = static_cast<LogLevel>(choice);
        }
        break;
    case kFirstRegionId: {
        char *end = nullptr;
        const unsigned long long value = std::strtoull(text, &end, 10);
        good = *text >= '0' && *text <= '9' && *end == '\0' && value >= 1 && value <= (1ULL << 40);
        if (good) {
            into.first_region_id = value;
        }
        break;
    }
    case kToolLibraries:
        into.tool_libraries = text;
        good = true;
        break;
    case kOptionCount:
        break;
    }
    if (!good && bad.row == nullptr) {
        bad = {&row, text};
    }
}

// A function of its own keeps the path to options that have been read short.
OCB_NEVER_INLINE const Options &read_options() {
    record_standard_error();
    // START registers the fork handlers of all other locks. This may be called before it.
    if (forks_are_watched.exchange(1, std::memory_order_relaxed) == 0) {
        pthread_atfork(nullptr, nullptr, [] { read_lock.reset_after_fork(); });
    }
    BadOption bad;
    {
        LockGuard guard(read_lock);
        if (is_read.load(std::memory_order_relaxed)) {
            return options_read;
        }
        for (int i = 0; i < kOptionCount; ++i) {
            if (const char *text = secure_getenv(kRows[i].name); text != nullptr && *text != '\0') {
                parse(static_cast<OptionIndex>(i), text, options_read, bad);
            }
        }
        set_log_level(options_read.log_level);
        is_read.store(true, std::memory_order_release);
    }
    if (bad.row != nullptr) {
        log_once(LogCause::kBadOption, bad.row->name, bad.row->values, bad.row->default_value);
    }
    return options_read;
}

} // namespace

const Options &options() {
    return is_read.load(std::memory_order_acquire) ? options_read : read_options();
}

} // namespace ocb

OCB_EXPORT const omp_collector_bridge_option *omp_collector_bridge_options(size_t *count) {
    *count = ocb::kUserOptionCount;
    return ocb::kRows;
}
