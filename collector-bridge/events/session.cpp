// SPDX-License-Identifier: Apache-2.0
#include "events/session.h"

#include "base/code_address.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/once_flag.h"
#include "base/options.h"
#include "events/delivery.h"
#include "records/held_mutexes.h"
#include "records/region.h"
#include "records/tables.h"
#include "runtime.h"

#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

namespace ocb::session {

using events::delivery_state;

namespace {

constinit Lock control;
// Under `control`.
constinit bool is_starting = false;
constinit bool is_paused = false;
constinit std::uint64_t registered = 0;

constinit std::atomic<bool> process_is_ending{false};
constinit OnceFlag fork_handler_is_set{0};

void recompute_mask() {
    const bool deliver_now = delivery_state.session_runs.load(std::memory_order_relaxed) &&
                             !is_paused && !process_is_ending.load(std::memory_order_relaxed);
    delivery_state.event_mask.store(deliver_now ? registered : 0, std::memory_order_seq_cst);
}

void after_fork_in_child() {
    control.reset_after_fork();
    is_starting = false;
    reset_regions_after_fork();
    reset_records_after_fork();
    runtime::reset_after_fork();
    events::reset_delivery_after_fork();
}

OMP_COLLECTORAPI_EC error_of(AttachResult result) {
    switch (result) {
    case AttachResult::kAttached:
    case AttachResult::kNoRuntimeYet:
        return OMP_ERRCODE_OK;
    case AttachResult::kTooLate:
        return OMP_ERRCODE_SEQUENCE_ERR;
    case AttachResult::kNeverPossible:
        return OMP_ERRCODE_UNSUPPORTED;
    }
    return OMP_ERRCODE_ERROR;
}

// There is one callback per event, and clients exist that register although their START was
// refused. So a line names the library whose callback another one replaces.
void name_replaced(Event event, OMP_COLLECTORAPI_CALLBACK before, OMP_COLLECTORAPI_CALLBACK now) {
    if (before == nullptr || before == now) {
        return;
    }
    Dl_info old_one;
    Dl_info new_one;
    if (dladdr(reinterpret_cast<void *>(before), &old_one) != 0 &&
        dladdr(reinterpret_cast<void *>(now), &new_one) != 0 &&
        old_one.dli_fbase != new_one.dli_fbase) {
        log_once(LogCause::kCallbackReplaced, new_one.dli_fname, event_row(event).name);
    }
}

// The process is ending: the collector's destructors are about to run or have run.
__attribute__((destructor)) void end_of_process() {
    process_is_ending.store(true, std::memory_order_relaxed);
    delivery_state.event_mask.store(0, std::memory_order_seq_cst);
}

} // namespace

constinit OnceFlag exit_is_watched{0};
constinit std::atomic<bool> start_has_come{false};

void watch_exit_from_here_on() {
    if (exit_is_watched.exchange(1, std::memory_order_relaxed) == 0) {
        atexit(end_of_process);
    }
}

void watch_forks() {
    if (fork_handler_is_set.exchange(1, std::memory_order_relaxed) == 0) {
        pthread_atfork(nullptr, nullptr, after_fork_in_child);
    }
}

OMP_COLLECTORAPI_EC start() {
    {
        LockGuard guard(control);
        if (is_starting || delivery_state.session_runs.load(std::memory_order_relaxed)) {
            return OMP_ERRCODE_SEQUENCE_ERR;
        }
        is_starting = true;
    }
    start_has_come.store(true, std::memory_order_release);
    forget_code();
    watch_forks();
    events::use_membarrier();
    runtime::want(kNeedRegions);
    if (options().observe == Observe::kAll) {
        runtime::want(kNeedState);
    }
    if (options().wait_events == WaitEvents::kAll) {
        held_mutexes::acquisitions.take_slow_path.store(true, std::memory_order_relaxed);
    }
    // Without our lock: the runtime's initialisation takes its own locks and the dynamic linker's.
    // A thread that holds one of those may be in a constructor that sends requests.
    const OMP_COLLECTORAPI_EC error = error_of(runtime::attach());
    if (error == OMP_ERRCODE_OK) {
        // Before any answer: the end of a region that has got an id must be reported.
        runtime::observe_wanted();
    }
    {
        LockGuard guard(control);
        is_starting = false;
        if (error != OMP_ERRCODE_OK) {
            return error;
        }
        is_paused = false;
        registered = 0;
        events::set_session_number(events::session_number() + 1);
        delivery_state.counted_events.store(0, std::memory_order_relaxed);
        delivery_state.session_runs.store(true, std::memory_order_release);
        recompute_mask();
    }
    runtime::register_caller_late();
    log_once(LogCause::kStarted, runtime::is_attached() ? "attached to the OpenMP runtime"
                                                        : "no OpenMP runtime attached yet");
    return OMP_ERRCODE_OK;
}

OMP_COLLECTORAPI_EC stop() {
    {
        LockGuard guard(control);
        delivery_state.session_runs.store(false, std::memory_order_seq_cst);
        delivery_state.answers_states.store(false, std::memory_order_seq_cst);
        delivery_state.counted_events.store(0, std::memory_order_relaxed);
        registered = 0;
        recompute_mask();
        events::forget_callbacks();
    }
    events::wait_for_deliveries(Event::kNone);
    log_once(LogCause::kStopped);
    return OMP_ERRCODE_OK;
}

OMP_COLLECTORAPI_EC pause() {
    {
        LockGuard guard(control);
        is_paused = true;
        recompute_mask();
    }
    log_once(LogCause::kPaused);
    return OMP_ERRCODE_OK;
}

OMP_COLLECTORAPI_EC resume() {
    LockGuard guard(control);
    is_paused = false;
    recompute_mask();
    return OMP_ERRCODE_OK;
}

OMP_COLLECTORAPI_EC register_callback(Event event, OMP_COLLECTORAPI_CALLBACK callback) {
    if (callback == nullptr) {
        return unregister_callback(event);
    }
    OMP_COLLECTORAPI_CALLBACK before = nullptr;
    {
        LockGuard guard(control);
        if (!delivery_state.session_runs.load(std::memory_order_relaxed)) {
            return OMP_ERRCODE_SEQUENCE_ERR;
        }
        before = events::callback_of(event);
        events::set_callback(event, callback);
        registered |= bit_of(event);
        recompute_mask();
    }
    runtime::want(event_row(event).needs);
    runtime::observe_wanted();
    log_once(LogCause::kFirstRegistration, event_row(event).name);
    name_replaced(event, before, callback);
    return OMP_ERRCODE_OK;
}

OMP_COLLECTORAPI_EC unregister_callback(Event event) {
    {
        LockGuard guard(control);
        registered &= ~bit_of(event);
        recompute_mask();
        events::set_callback(event, nullptr);
    }
    events::wait_for_deliveries(event);
    forget_code(); // the callback's may be unloaded from here on
    return OMP_ERRCODE_OK;
}

} // namespace ocb::session
