// SPDX-License-Identifier: Apache-2.0
#include "records/front.h"

#include "omp_collector_api.h"

#include <ctime>

namespace ocb::front {
namespace {

constexpr unsigned kWordsShift = 2;
constexpr int kWords[] = {0, 6, 16}; // arguments copied below the frame

constexpr std::uint64_t kUntilTold = ~std::uint64_t{0};
constexpr std::uint64_t kUntilLeft = kUntilTold - 1; // a critical region; no clock comes that far
constexpr std::uint64_t kBriefNs = 1000;

std::uint64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(now.tv_nsec);
}

// Where the runtime's return address is.
const void *const *runtimes_return(std::uintptr_t mark) {
    if (forks(mark)) {
        return fork_return(mark);
    }
    const auto *below = reinterpret_cast<const std::intptr_t *>(mark & ~kTag);
    return reinterpret_cast<const void *const *>(below - kWords[(mark & kTag) >> kWordsShift] - 1);
}

bool combines(const Front &front) {
    const std::uint64_t until = front.combines_until.get();
    return until == kUntilTold || (until != 0 && now_ns() < until);
}

} // namespace

constinit bool is_wanted = false;

constexpr unsigned kAllIsReported = 0;
constinit std::atomic<const unsigned *> program_calls{&kAllIsReported};

void know_calls(const unsigned *calls) {
    program_calls.store(calls != nullptr ? calls : &kAllIsReported, std::memory_order_release);
}

bool no_single_is_called() {
    const unsigned *const calls = program_calls.load(std::memory_order_acquire);
    return (__atomic_load_n(calls, __ATOMIC_SEQ_CST) & OMP_COLLECTOR_FRONT_NO_SINGLES) != 0;
}

std::uintptr_t innermost_frame(const Front &front) {
    return front.innermost.get() & ~kTag;
}

int state_of(const Front &front) {
    if (combines(front)) {
        return THR_REDUC_STATE;
    }
    if (!front.is_in_runtime()) {
        return 0;
    }
    switch (front.innermost.get() & OMP_COLLECTOR_BRIDGE_FRONT_KINDS) {
    case OMP_COLLECTOR_BRIDGE_IN_REDUCTION:
        return THR_REDUC_STATE;
    case OMP_COLLECTOR_BRIDGE_IN_DOACROSS:
        return THR_ODWT_STATE;
    case OMP_COLLECTOR_BRIDGE_ENDS_TASKGROUP:
        return (front.taskgroups.get() & 1) != 0 ? THR_REDUC_STATE : THR_OVHD_STATE;
    default:
        return THR_OVHD_STATE;
    }
}

const void *call_site(const Front &front) {
    return front.is_in_runtime() && front.innermost.get() != 0 ? innermost_call_site(front)
                                                               : nullptr;
}

const void *innermost_call_site(const Front &front) {
    return frame_of(front.innermost.get())->program_address;
}

const void *program_address_on_slow_path(std::uintptr_t mark, const void *seen) {
    if (mark == 0 || seen == nullptr) {
        return seen;
    }
    // At a region's end the runtime may have called itself inside of the fork.
    if (*runtimes_return(mark) != seen) {
        mark = frame_of(mark)->outer;
        if (mark == 0 || !forks(mark) || *runtimes_return(mark) != seen) {
            return seen;
        }
    }
    return frame_of(mark)->program_address;
}

void begin_marks(Front &front) {
    if (front.innermost.get() == 0 || front.is_in_fork()) {
        return enter_program(front);
    }
    leave_program(front);
}

void enter_combining_critical(Front &front) {
    if (front.combines_until.get() != kUntilTold) {
        front.combines_until.set(kUntilLeft);
    }
}

void leave_combining_critical(Front &front) {
    if (front.combines_until.get() == kUntilLeft) {
        front.combines_until.set(now_ns() + kBriefNs);
    }
}

} // namespace ocb::front
