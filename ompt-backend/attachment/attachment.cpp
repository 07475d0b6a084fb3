// SPDX-License-Identifier: Apache-2.0
#include "attachment/attachment.h"

#include "attachment/attached_runtime.h"
#include "attachment/loaded_object.h"
#include "attachment/unmarked_loops.h"
#include "base/lock.h"
#include "base/log.h"
#include "runtime.h"
#include "tracker/tracker.h"

#include <atomic>
#include <unistd.h>

namespace ocb {
namespace ompt {

namespace {

constinit std::atomic<bool> is_attached{false};
constinit std::atomic<bool> last_was_rejected{false};
constinit std::atomic<bool> one_has_ended{false};
constinit std::atomic<bool> was_declined{false};

constinit std::atomic<pid_t> claimant{0}; // the process in which a runtime has claimed us
constinit GetState get_state = nullptr;

// Guards which needs' callbacks are registered with the runtime.
constinit Lock registering;
constinit std::atomic<Needs> observed{0};

void register_callbacks(Needs needs) {
    const Adapter &current = current_adapter();
    for (std::size_t row = 0; row < current.callbacks.size(); ++row) {
        if ((current.callbacks[row].needs & needs) != 0) {
            keep_result(row, current.set_callback(current.callbacks[row]));
        }
    }
}

} // namespace

constinit std::atomic<Needs> wanted{0};

namespace {

// Runtimes report each loop by the callback of single constructs. In a program without singles that
// callback is of no use, and for some loops libomp prints a warning. A client tool wants the loops,
// too.
Needs to_observe() {
    const Needs all = wanted.load(std::memory_order_acquire);
    return all != kNeedAll && (tracker::no_single_is_called() || some_loops_are_unmarked())
               ? all & ~kNeedSingle
               : all;
}

bool all_is_observed() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return (to_observe() & ~observed.load(std::memory_order_acquire)) == 0;
}

} // namespace

bool is_welcome() {
    const bool is_wanted = tracker::wants_runtime();
    if (!is_wanted) {
        was_declined.store(true, std::memory_order_release);
    }
    return is_wanted;
}

bool has_declined() {
    return was_declined.load(std::memory_order_acquire);
}

bool claim(AsksAgain asks_again) {
    const pid_t process = getpid();
    pid_t before = 0;
    bool is_ours = claimant.compare_exchange_strong(before, process, std::memory_order_acq_rel);
    // In a child of fork: another thread of the parent was claiming, or the child's runtime asks
    // again.
    if (!is_ours && before != process &&
        (!is_attached.load(std::memory_order_acquire) ||
         (asks_again == AsksAgain::kAfterFork && current_adapter().registers_at_once))) {
        is_attached.store(false, std::memory_order_release);
        is_ours = claimant.compare_exchange_strong(before, process, std::memory_order_acq_rel);
    }
    if (!is_ours) {
        log_once(LogCause::kSecondRuntime);
    } else {
        pin_and_make_global();
    }
    return is_ours;
}

void release() {
    claimant.store(0, std::memory_order_release);
}

bool is_being_asked() {
    return claimant.load(std::memory_order_acquire) != 0 &&
           !is_attached.load(std::memory_order_acquire);
}

void reject(const char *why) {
    log_once(LogCause::kRefusedByRuntime, why);
    last_was_rejected.store(true, std::memory_order_release);
    release();
}

bool was_rejected() {
    return last_was_rejected.load(std::memory_order_acquire);
}

void register_adapter(const Adapter &which, Lookup lookup, GetState state_of_caller) {
    // A runtime that starts again has none of our callbacks.
    forget_results();
    observed.store(0, std::memory_order_release);
    get_state = state_of_caller;
    adapter_in_use.store(&which, std::memory_order_release);
    keep_file(lookup);
    if (which.registers_at_once) {
        tracker::watch_forks();
        runtime::want(kNeedAll);
    }
    last_was_rejected.store(false, std::memory_order_release);
    is_attached.store(true, std::memory_order_release);
    log_once(LogCause::kAttached, runtime_file(), runtime_version());
    runtime::observe_wanted();
}

void detach() {
    is_attached.store(false, std::memory_order_release);
    one_has_ended.store(true, std::memory_order_release);
    release();
    log_once(LogCause::kDetached);
}

bool was_detached() {
    return one_has_ended.load(std::memory_order_acquire);
}

void reset_attachment_after_fork() {
    registering.reset_after_fork();
}

} // namespace ompt

namespace runtime {

bool is_attached() {
    return ompt::is_attached.load(std::memory_order_acquire);
}

Needs wanted_needs() {
    return ompt::wanted.load(std::memory_order_relaxed);
}

Needs reported_needs() {
    return wanted_needs() & ompt::current_adapter().reported_by_callbacks;
}

void want(Needs needs) {
    if ((wanted_needs() & needs) != needs) {
        ompt::wanted.fetch_or(needs, std::memory_order_release);
    }
}

// Also in a signal handler: libomp's ompt_set_callback is two plain stores. The holder of the lock
// looks at the needs again after it has released the lock, so none is lost. A fence lies between a
// new need and the look at the lock, and another between the release and the look at the needs.
void observe_wanted() {
    using namespace ompt;
    if (is_attached() && (wanted_needs() & kNeedWaits) != 0 && !tracker::tasks_are_asked_for()) {
        want(kNeedTaskSwitches);
    }
    while (is_attached() && !all_is_observed()) {
        if (!registering.try_lock()) {
            return;
        }
        const Needs missing = to_observe() & ~observed.load(std::memory_order_relaxed);
        register_callbacks(missing);
        observed.fetch_or(missing, std::memory_order_release);
        registering.unlock();
    }
}

ThreadFacts facts_of_caller(FactsFor what) {
    return is_attached() ? ompt::current_adapter().facts_of_caller(what) : ThreadFacts{};
}

RegionId unreported_region(int level) {
    const auto ask = ompt::current_adapter().unreported_region;
    return ask != nullptr && is_attached() ? ask(level) : RegionId::kNone;
}

TaskPlace task_of_caller(std::uintptr_t call_frame) {
    const auto ask = ompt::current_adapter().task_of_caller;
    return ask != nullptr && is_attached() ? ask(call_frame) : TaskPlace::kAroundCall;
}

TaskPlace task_in_barrier(std::uintptr_t call_frame) {
    const auto ask = ompt::current_adapter().task_in_barrier;
    return ask != nullptr && is_attached() ? ask(call_frame) : TaskPlace::kAroundCall;
}

FunctionFrame function_frame_of_caller() {
    const auto ask = ompt::current_adapter().function_frame_of_caller;
    return ask != nullptr && is_attached() ? ask() : nullptr;
}

bool reports_threads() {
    return is_attached() && ompt::current_adapter().reports_threads &&
           (ompt::observed.load(std::memory_order_acquire) & kNeedRegions) != 0;
}

bool reports_states() {
    return reports_threads() && (ompt::observed.load(std::memory_order_acquire) & reported_needs() &
                                 kNeedState) == kNeedState;
}

bool caller_waits_for_mutex() {
    if (!is_attached()) {
        return false;
    }
    std::uint64_t wait_id = 0;
    const int state = ompt::get_state(&wait_id);
    const ompt::Adapter &adapter = ompt::current_adapter();
    return state >= adapter.first_mutex_state && state <= adapter.last_mutex_state;
}

void register_caller_late() {
    if (!tracker::caller_is_known() && is_attached()) {
        ompt::current_adapter().register_caller_late();
    }
}

} // namespace runtime
} // namespace ocb
