// SPDX-License-Identifier: Apache-2.0
// The marks of a thread: whether it is inside an entry of the runtime, and of what kind that is.
// They are in the thread's record. The front (compat/front/) writes them through
// omp_collector_bridge_own_front. The tracker writes them where the program's code begins or goes
// on inside of a call (a task run in a taskwait). Without a front all are 0: in the program.
//
// Where a front marks all calls, tasks need not be reported. A call or a wait may then have a task
// inside of it that was not reported. STATE asks the runtime for it.
#pragma once

#include "base/compiler.h"
#include "base/handler_visible.h"
#include "omp_collector_bridge.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ocb {

namespace front {
// The mark of a call that forks a region.
constexpr bool forks(std::uintptr_t mark) {
    return (mark & OMP_COLLECTOR_BRIDGE_FORKS) == OMP_COLLECTOR_BRIDGE_FORKS;
}
} // namespace front

// omp_collector_bridge_front, as we read it.
struct Front {
    HandlerVisible<std::uintptr_t> innermost;
    HandlerVisible<std::uintptr_t> covered;
    HandlerVisible<std::uint64_t> taskgroups;
    HandlerVisible<std::uint64_t> combines_until;

    [[nodiscard]] bool is_in_runtime() const { return innermost.get() != covered.get(); }
    [[nodiscard]] bool may_combine() const { return combines_until.get() != 0; }
    [[nodiscard]] bool is_in_reduction() const {
        return is_in_runtime() && (innermost.get() & OMP_COLLECTOR_BRIDGE_FRONT_KINDS) ==
                                      OMP_COLLECTOR_BRIDGE_IN_REDUCTION;
    }
    // True if the innermost call forks a region. A thread that is in the program is in that region
    // then.
    [[nodiscard]] bool is_in_fork() const { return front::forks(innermost.get()); }
};
static_assert(sizeof(Front) == sizeof(omp_collector_bridge_front));
static_assert(offsetof(omp_collector_bridge_front, covered) == sizeof(std::uintptr_t));

namespace front {

// Whether marks are wanted; set once, at the runtime's initialisation. If so, the adapter must put
// the program's addresses in the place of the front's (program_address).
extern constinit bool is_wanted OCB_INTERNAL;

// `calls` has what the program can call, in bits OMP_COLLECTOR_FRONT_TASKS and so on. A front that
// marks all calls keeps it. Null: there is no such front, so all callbacks are needed. Any thread.
void know_calls(const unsigned *calls);
// All functions below are async-signal-safe.
[[nodiscard]] bool no_single_is_called();

extern const unsigned kAllIsReported OCB_INTERNAL;
extern constinit std::atomic<const unsigned *> program_calls OCB_INTERNAL;
OCB_ALWAYS_INLINE bool knows_calls() {
    return program_calls.load(std::memory_order_relaxed) != &kAllIsReported;
}

// Whether a thread may execute a task that has not been reported.
OCB_ALWAYS_INLINE bool tasks_may_run_unreported() {
    const unsigned *const calls = program_calls.load(std::memory_order_relaxed);
    return (__atomic_load_n(calls, __ATOMIC_RELAXED) & OMP_COLLECTOR_FRONT_TASKS) != 0;
}

// Where the innermost call's frame is.
[[nodiscard]] std::uintptr_t innermost_frame(const Front &front);

// The state by the thread's marks: 0 in the program, else OMP_COLLECTOR_API_THR_STATE. Any thread.
int state_of(const Front &front);

// The address that the caller's innermost call into the runtime returns to in the program; null if
// it is not inside of one. Its own thread only.
const void *call_site(const Front &front);

// The same of a thread that is inside of a call, in the program or not.
const void *innermost_call_site(const Front &front);

constexpr std::uintptr_t kTag = 15; // in the low bits of the frame's address: what the call is
// What a stub has pushed in a call's frame on the stack.
struct CallFrame {
    std::uintptr_t outer; // Front::innermost before it
    const void *program_address;
};
inline const CallFrame *frame_of(std::uintptr_t mark) {
    return reinterpret_cast<const CallFrame *>(mark & ~kTag);
}

// The forking call that has this mark, if it returns to `call_site`; else null.
OCB_ALWAYS_INLINE const CallFrame *call_that_forks(std::uintptr_t mark, const void *call_site) {
    const CallFrame *frame = frame_of(mark);
    return frame->program_address == call_site ? frame : nullptr;
}
// The outlined function of the region that it forks.
OCB_ALWAYS_INLINE const void *forked_function(const CallFrame &call) {
    constexpr int kFunction = -2;
    return reinterpret_cast<const void *const *>(&call)[kFunction];
}

// Where the stub's call of the runtime has its return address, for a forking call with this mark.
// It lies below the frame pointer, the outlined function, and as many arguments as the mark has.
inline const void *const *fork_return(std::uintptr_t mark) {
    constexpr int kWordsOfFork = 3;
    const auto *below = reinterpret_cast<const std::intptr_t *>(mark & ~kTag);
    return reinterpret_cast<const void *const *>(below - kWordsOfFork - 1 - below[-kWordsOfFork]);
}

// The program's address for a return address that the runtime has seen. Its usual caller is a fork.
const void *program_address_on_slow_path(std::uintptr_t mark, const void *seen);
OCB_ALWAYS_INLINE const void *program_address(const Front &front, const void *seen) {
    const std::uintptr_t mark = front.innermost.get();
    return forks(mark) && *fork_return(mark) == seen ? frame_of(mark)->program_address
                                                     : program_address_on_slow_path(mark, seen);
}

// The program's code begins inside of the thread's innermost call (or outside of all), and
// leave_program() goes back to that call.
inline void enter_program(Front &front) {
    front.covered.set(front.innermost.get());
}
inline void leave_program(Front &front) {
    if (const std::uintptr_t mark = front.innermost.get(); mark != 0) {
        front.covered.set(frame_of(mark)->outer);
    }
}

// The thread's marks are valid from here on: at the begin of a region or of a wait that the program
// has called.
void begin_marks(Front &front);

// The same where a region's implicit task begins on the thread whose call forks the region.
inline void enter_region(Front &front) {
    if (front.is_in_fork()) {
        enter_program(front);
    }
}

// A critical region of a reduction, whose end the runtime does not report: it lasts until
// leave_combining_critical().
void enter_combining_critical(Front &front);
void leave_combining_critical(Front &front);

// The program has made the innermost call, and that forks no region.
OCB_ALWAYS_INLINE bool is_in_call_of_region(const Front &front) {
    return front.is_in_runtime() && !front.is_in_fork();
}

} // namespace front
} // namespace ocb
